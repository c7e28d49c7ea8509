import { cueText, stretchesOf, type Stretch } from '#shared/formats/cues.ts';
import type { SpokenSegment } from '#shared/meetings/words.ts';

import { Pause } from '../base/pause.ts';
import type { Words } from './words.ts';

/** Splits a segment's words into cues that do not overlap in time. */
export function cuesOf(segment: Pick<SpokenSegment, 'text' | 'words'>): Stretch[] {
  const cues = stretchesOf(segment);
  return cues.flatMap((cue, i) => {
    const to = Math.min(cue.to, cues[i + 1]?.from ?? cue.to);
    return to > cue.from && cue.text !== '' ? [{ ...cue, to }] : [];
  });
}

/** Delay after an edit before the subtitles show it, in ms. */
const settling = 400;

/** Subtitles that follow the edited text. Unchanged segments keep their cues. */
export function subtitle(video: HTMLVideoElement, words: Words, label: string, lang: string): () => void {
  // A text track cannot be removed, so an earlier one is used again.
  const track =
    [...video.textTracks].find((one) => one.kind === 'subtitles') ?? video.addTextTrack('subtitles', label, lang);
  track.mode = 'showing';
  let shown = new Map<SpokenSegment, VTTCue[]>();
  const draw = () => {
    const now = new Map<SpokenSegment, VTTCue[]>();
    for (const segment of words.reading().segments) {
      const before = shown.get(segment);
      shown.delete(segment);
      now.set(
        segment,
        before ?? cuesOf(segment).map(({ from, to, text }) => new VTTCue(from / 1000, to / 1000, cueText(text))),
      );
      if (!before) for (const cue of now.get(segment) ?? []) track.addCue(cue);
    }
    for (const cue of [...shown.values()].flat()) track.removeCue(cue);
    shown = now;
  };
  draw();
  const settles = new Pause(draw, settling);
  const unsubscribe = words.subscribe(settles.ask);
  return () => {
    unsubscribe();
    settles.drop();
    for (const cue of [...shown.values()].flat()) track.removeCue(cue);
    track.mode = 'disabled';
  };
}
