import { cueText, glance, sentences, stretchesOf, type Cue, type CueLimits } from './cues.ts';
import { printable, type SpokenTurn } from './spoken.ts';
import { exactTime } from './times.ts';
import { collapse } from './turns.ts';
import { writeZoom } from './zoom.ts';

// Captions. Cues are in order of time, have a minimum duration, and none is left out.

const shortestCue = 1;

function cuesOf(turns: readonly SpokenTurn[], limits: CueLimits): Cue[] {
  const cues = turns.flatMap(({ name, segment }) =>
    stretchesOf(segment, limits).map((stretch): Cue => ({ ...stretch, text: printable(stretch.text), speaker: name })),
  );
  const ordered = cues.filter(({ text }) => text !== '').toSorted((one, other) => one.from - other.from);
  return ordered.map((cue, i) => {
    const next = ordered[i + 1];
    // Only cues of the same speaker are shortened: interruptions may overlap.
    const to = next?.speaker === cue.speaker ? Math.min(cue.to, Math.max(next.from, cue.from)) : cue.to;
    return { ...cue, to: Math.max(to, cue.from + shortestCue) };
  });
}

export const zoomFile = (turns: readonly SpokenTurn[], speakers: boolean): string =>
  writeZoom(cuesOf(turns, sentences), speakers);

export function vttFile(turns: readonly SpokenTurn[], speakers: boolean): string {
  const blocks = cuesOf(turns, glance).map(({ from, to, text, speaker }, i) => {
    // Removed from names: many readers drop these characters inside a tag.
    const name = speakers ? collapse(speaker.replace(/[<>&]+/g, ' ')) : '';
    const line = name === '' ? cueText(text) : `<v ${name}>${cueText(text)}</v>`;
    return `${i + 1}\n${exactTime(from)} --> ${exactTime(to)}\n${line}\n`;
  });
  return ['WEBVTT\n', ...blocks].join('\n');
}

/** A zero-width character keeps players from reading these as markup, without changing the look. */
const unmarked = (text: string): string =>
  text
    .replaceAll('-->', '--\u2060>')
    .replace(/<(?=[a-z/!])/gi, '<\u2060')
    .replace(/\{(?=\\)/g, '{\u2060');

export function srtFile(turns: readonly SpokenTurn[], speakers: boolean): string {
  let before = '';
  const blocks = cuesOf(turns, glance).map(({ from, to, text, speaker }, i) => {
    // Names only where the speaker changes, as usual in subtitles.
    const name = speakers && speaker !== before ? collapse(speaker) : '';
    before = speaker;
    const line = unmarked(name === '' ? text : `${name}: ${text}`);
    return `${i + 1}\n${exactTime(from, ',')} --> ${exactTime(to, ',')}\n${line}\n`;
  });
  return blocks.join('\n');
}
