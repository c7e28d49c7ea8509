import { speakerColors, type Speaker } from '#shared/meetings/speakers.ts';
import type { Scope, Segment } from '#shared/meetings/transcript.ts';

/** Somebody who speaks here, also where the list of speakers does not know them: an undo may bring one back. */
export interface Voice extends Speaker {
  listed: boolean;
}

export function voicesOf(listed: readonly Speaker[], speaking: Iterable<string>): Voice[] {
  const known = new Set(listed.map(({ id }) => id));
  const strangers = [...new Set(speaking)].filter((id) => !known.has(id)).toSorted();
  return [
    ...listed.map((speaker) => ({ ...speaker, listed: true })),
    ...strangers.map((id, i) => ({
      id,
      name: '',
      color: (listed.length + i) % speakerColors,
      sortId: Number.MAX_SAFE_INTEGER,
      listed: false,
    })),
  ];
}

const plain = (text: string): string =>
  text.normalize('NFKD').replace(/\p{M}/gu, '').replace(/\s+/g, ' ').trim().toLowerCase();

/** Those whose name has a word that begins so first, then those who have it anywhere. */
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

/** What a voice said besides one segment: all of it, or what comes behind that one. */
export function others(
  segments: readonly Segment[],
  segmentId: string | null,
  speaker: string,
  scope: Scope,
): Segment[] {
  const place = segments.findIndex(({ id }) => id === segmentId);
  // Where the segment has gone meanwhile, nobody can say any more what stands behind it.
  if (scope === 'one' || (scope === 'following' && place === -1)) return [];
  return segments.filter((segment, i) => segment.speaker === speaker && (scope === 'all' ? i !== place : i > place));
}

interface Spoken {
  speaker: string;
  from: number;
  to: number;
}

export interface VoiceFigures {
  passages: number;
  /** Milliseconds. */
  spoken: number;
  /** Of all that was spoken. */
  share: number;
}

export function figuresOf(spoken: readonly Spoken[]): Map<string, VoiceFigures> {
  const figures = new Map<string, VoiceFigures>();
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
