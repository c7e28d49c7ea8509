import { endsSentence } from '../meetings/sentence.ts';
import type { SpokenSegment, Word } from '../meetings/words.ts';

/** Limits of a cue: by what can be read at a glance, or by sentences. */
export interface CueLimits {
  characters: number;
  /** Milliseconds. */
  time: number;
  pause: number;
  /** Sentences that end before this many characters are joined with the next one. */
  shortSentence: number;
}

/** Two lines, shown while they are spoken. */
export const glance: CueLimits = { characters: 84, time: 6000, pause: 1500, shortSentence: 30 };
/** One sentence, or as much of it as fits seven seconds. */
export const sentences: CueLimits = { characters: 1000, time: 7000, pause: 2000, shortSentence: 0 };

export interface Stretch {
  from: number;
  to: number;
  text: string;
}

export interface Cue extends Stretch {
  speaker: string;
}

/** Splits the words of a segment into ranges within the limits; every word is in one. */
export function stretchesOf({ text, words }: Pick<SpokenSegment, 'text' | 'words'>, limits = glance): Stretch[] {
  const groups: Word[][] = [];
  for (const word of words) {
    const group = groups.at(-1);
    const [first, last] = [group?.[0], group?.at(-1)];
    const full =
      !group ||
      !first ||
      !last ||
      word.at + word.text.length - first.at > limits.characters ||
      word.to - first.from > limits.time ||
      word.from - last.to > limits.pause ||
      (endsSentence(last.text) && last.at + last.text.length - first.at >= limits.shortSentence);
    if (full) groups.push([word]);
    else group.push(word);
  }
  return groups.map((group): Stretch => {
    const [first, last] = [group[0], group.at(-1)];
    const [begin, end] = [first?.at ?? 0, (last?.at ?? 0) + (last?.text.length ?? 0)];
    return {
      from: first?.from ?? 0,
      to: Math.max(...group.map(({ to }) => to)),
      text: text.slice(begin, end).trim(),
    };
  });
}

/** Escapes text for a cue, which is markup. */
export const cueText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
