import { endsSentence } from '../meetings/sentence.ts';
import type { SpokenSegment, Word } from '../meetings/words.ts';

/** Cut by what a person reads in a glance, or by sentences. */
export interface CueLimits {
  characters: number;
  /** Milliseconds. */
  time: number;
  pause: number;
  /** A sentence that ends this early is joined by the next one. */
  shortSentence: number;
}

/** Two lines, on screen for as long as they are said. */
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

/** A segment's words in stretches, each no longer than the limits say; every word is in one. */
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

/** A cue is markup to whoever shows it; what was said is not. */
export const cueText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
