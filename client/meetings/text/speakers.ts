import { speakerColors } from '#shared/meetings/palette.ts';
import type { Speaker } from '#shared/meetings/speakers.ts';
import type { Scope, Segment } from '#shared/meetings/transcript.ts';

/** Speaker of the recording; `listed` is false if missing from the list of speakers, as after an undo. */
export interface TranscriptSpeaker extends Speaker {
  listed: boolean;
  /** Tells apart those of one colour: 0 for the first of them. */
  pattern: number;
}

/** Number of patterns that the style sheets define. */
const patterns = 3;

/** Pattern of each speaker in their order, beyond the first of a colour. */
export function patternsOf(speakers: readonly Pick<Speaker, 'id' | 'color'>[]): ReadonlyMap<string, number> {
  const counts = new Map<number, number>();
  return new Map(
    speakers.map(({ id, color }) => {
      const nth = counts.get(color) ?? 0;
      counts.set(color, nth + 1);
      return [id, nth % patterns];
    }),
  );
}

export function allSpeakers(listed: readonly Speaker[], speaking: Iterable<string>): TranscriptSpeaker[] {
  const known = new Set(listed.map(({ id }) => id));
  const strangers = [...new Set(speaking)].filter((id) => !known.has(id)).toSorted();
  const all = [
    ...listed.map((speaker) => ({ ...speaker, listed: true })),
    ...strangers.map((id, i) => ({
      id,
      name: '',
      color: (listed.length + i) % speakerColors,
      sortId: Number.MAX_SAFE_INTEGER,
      listed: false,
    })),
  ];
  const patternOf = patternsOf(all);
  return all.map((speaker) => ({ ...speaker, pattern: patternOf.get(speaker.id) ?? 0 }));
}

const plain = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim().toLowerCase();

/** Sorts names with a word that starts with the query before those that contain it elsewhere. */
export function matching<Named extends { name: string }>(voices: readonly Named[], typed: string): Named[] {
  const wanted = plain(typed);
  if (wanted === '') return [...voices];
  const rank = ({ name }: Named) => {
    const has = ` ${plain(name)}`;
    if (has.includes(` ${wanted}`)) return 0;
    return has.includes(wanted) ? 1 : 2;
  };
  return voices.filter((voice) => rank(voice) < 2).toSorted((one, other) => rank(one) - rank(other));
}

export const sameName = (one: string, other: string): boolean => plain(one) === plain(other);

/** Other segments of a speaker: all of them, or only those after the given one. */
export function others(
  segments: readonly Segment[],
  segmentId: string | null,
  speaker: string,
  scope: Scope,
): Segment[] {
  const place = segments.findIndex(({ id }) => id === segmentId);
  // If the segment is gone, "following" has no meaning.
  if (scope === 'one' || (scope === 'following' && place === -1)) return [];
  return segments.filter((segment, i) => segment.speaker === speaker && (scope === 'all' ? i !== place : i > place));
}

interface Spoken {
  speaker: string;
  from: number;
  to: number;
}

export interface SpeakingTime {
  passages: number;
  /** Milliseconds. */
  spoken: number;
  /** Fraction of all spoken time. */
  share: number;
}

export function figuresOf(spoken: readonly Spoken[]): Map<string, SpeakingTime> {
  const figures = new Map<string, SpeakingTime>();
  let all = 0;
  for (const { speaker, from, to } of spoken) {
    const own = figures.get(speaker) ?? { passages: 0, spoken: 0, share: 0 };
    figures.set(speaker, own);
    const talk = Math.max(0, to - from);
    own.passages += 1;
    own.spoken += talk;
    all += talk;
  }
  for (const own of figures.values()) own.share = all > 0 ? own.spoken / all : 0;
  return figures;
}
