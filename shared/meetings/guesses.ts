import { saidIn, stretchAtTime, type Anchored } from './anchors.ts';
import { wordsIn, wordsWithPlaces } from './quoted.ts';
import type { Reading } from './words.ts';

// Places where an annotation may belong whose words are gone: the same words elsewhere, similar ones, and what is said
// at its time. A person chooses; nothing is moved by itself.

export interface Guess {
  /** Flat positions. */
  from: number;
  to: number;
  by: 'same' | 'similar' | 'time';
}

interface Likeness {
  /** Length of a passage, as a multiple of the words looked for. */
  length: number;
  /** Share of the words that it has at least; rare words weigh more than common ones. */
  share: number;
}

const asQuoted: Likeness = { length: 1, share: 0.5 };
/** Summed up, words are fewer than what was said, and many of them others. */
const asSummed: Likeness = { length: 2, share: 0.35 };
const most = 3;

interface Spoken {
  word: string;
  /** Flat positions. */
  from: number;
  to: number;
}

const spokenOf = new WeakMap<Reading, readonly Spoken[]>();

/** All words of the transcript in their order. */
function spokenIn(reading: Reading): readonly Spoken[] {
  const known = spokenOf.get(reading);
  if (known) return known;
  const spoken = reading.segments.flatMap(({ text }, i) => {
    const start = reading.starts[i] ?? 0;
    return wordsWithPlaces(text).map(({ word, from, to }) => ({ word, from: start + from, to: start + to }));
  });
  spokenOf.set(reading, spoken);
  return spoken;
}

/** The likeliest places first; of equally likely ones those nearest to the time of the annotation. */
export function guessesOf(reading: Reading, item: Pick<Anchored, 'start' | 'end' | 'quote'>): Guess[] {
  const found = likeIn(reading, item, asQuoted);
  const said = stretchAtTime(reading, item.start * 1000, item.end * 1000);
  const overlaps = (one: Guess) => said !== null && one.from < said.to && said.from < one.to;
  if (said && !found.slice(0, most).some(overlaps)) found.splice(most - 1, Infinity, { ...said, by: 'time' });
  return found.slice(0, most);
}

/** The passage that a point of a summary is most likely about; null where none has enough of its words. */
export const passageOfPoint = (reading: Reading, text: string): Guess | null =>
  likeIn(reading, { quote: text, start: 0 }, asSummed)[0] ?? null;

/** Passages that share most of the words of a quote. */
function likeIn(
  reading: Reading,
  { quote, start }: Pick<Anchored, 'start' | 'quote'>,
  { length, share: least }: Likeness,
): Guess[] {
  const spoken = spokenIn(reading);
  const wanted = wordsIn(quote);
  if (wanted.length === 0 || spoken.length === 0) return [];
  const size = wanted.length * length;
  const counts = new Map(wanted.map((word) => [word, 0]));
  for (const { word } of spoken) {
    const count = counts.get(word);
    if (count !== undefined) counts.set(word, count + 1);
  }
  const weightOf = (word: string) => Math.log(1 + spoken.length / Math.max(1, counts.get(word) ?? 0));
  const whole = wanted.reduce((sum, word) => sum + weightOf(word), 0);
  /** How often the quote has each word that the window has not yet; below zero where the window has more. */
  const missing = new Map<string, number>();
  for (const word of wanted) missing.set(word, (missing.get(word) ?? 0) + 1);
  let weight = 0;
  const step = (word: string | undefined, by: 1 | -1) => {
    const left = word === undefined ? undefined : missing.get(word);
    if (word === undefined || left === undefined) return;
    missing.set(word, left - by);
    if (by === 1 ? left > 0 : left >= 0) weight += by * weightOf(word);
  };
  const windows: { first: number; last: number; share: number; away: number }[] = [];
  for (const [last, { word }] of spoken.entries()) {
    step(word, 1);
    const first = Math.max(0, last - size + 1);
    if (last >= size) step(spoken[last - size]?.word, -1);
    const share = weight / whole;
    if (share >= least) windows.push({ first, last, share, away: 0 });
  }
  for (const one of windows) one.away = Math.abs(timeAt(reading, spoken[one.first]?.from ?? 0) - start);
  windows.sort((one, other) => other.share - one.share || one.away - other.away);
  const guesses: Guess[] = [];
  for (const { first, last } of windows) {
    if (guesses.length === most) break;
    const has = (at: number) => counts.has(spoken[at]?.word ?? '');
    let [begin, end] = [first, last];
    while (begin < end && !has(begin)) begin += 1;
    while (begin < end && !has(end)) end -= 1;
    const from = spoken[begin]?.from ?? 0;
    const to = spoken[end]?.to ?? 0;
    if (guesses.some((one) => one.from < to && from < one.to)) continue;
    const words = spoken.slice(begin, end + 1).map(({ word }) => word);
    guesses.push({ from, to, by: words.join(' ') === wanted.join(' ') ? 'same' : 'similar' });
  }
  return guesses;
}

/** Second at which the word at a flat position is said. */
const timeAt = (reading: Reading, at: number): number => saidIn(reading, at, at + 1).start;
