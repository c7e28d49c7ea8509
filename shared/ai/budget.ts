import { fold } from '../meetings/search.ts';
import { writtenLine, type Line } from './lines.ts';

// How much of a transcript fits into one question. Tokens are guessed, because each model counts them differently; what
// the model reports afterwards tells whether it read everything.

const perToken = { latin: 3.5, cyrillic: 2.2, other: 1 } as const;

export function guessTokens(text: string): number {
  let [latin, cyrillic, other] = [0, 0, 0];
  for (const one of text) {
    const code = one.codePointAt(0) ?? 0;
    if (code < 0x370 || (code >= 0x2000 && code < 0x2070)) latin += 1;
    else if (code < 0x530) cyrillic += 1;
    else other += 1;
  }
  return Math.ceil(latin / perToken.latin + cyrillic / perToken.cyrillic + other / perToken.other);
}

/** Below this part of the guess, a reported count means that the model did not get all of the question. */
const leastRead = 0.7;

/** Short texts are guessed badly, and cut by nobody. */
const shortest = 500;

export const wasCut = (guessed: number, reported: number): boolean =>
  guessed >= shortest && reported < guessed * leastRead;

const longestQuestion = 40;

/** Beginnings of words, so that forms of a word are alike; pairs of characters in scripts without blanks. */
function keysOf(text: string): Set<string> {
  const keys = new Set<string>();
  for (const [word] of fold(text, false).text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const characters = [...word.replaceAll('ё', 'е')];
    if (/\p{sc=Han}|\p{sc=Hira}|\p{sc=Kana}/u.test(word))
      for (let i = 0; i + 1 < characters.length; i += 1) keys.add(characters.slice(i, i + 2).join(''));
    else if (characters.length > 2) keys.add(characters.slice(0, 5).join(''));
  }
  return keys;
}

/**
 * The lines for a question, in their order: all of them where they fit, else those that have the rarest of its words,
 * with their neighbours, until the space is used.
 */
export function linesFor(lines: readonly Line[], question: string, tokens: number): Line[] {
  const costs = lines.map((line) => guessTokens(writtenLine(line)) + 1);
  if (costs.reduce((sum, one) => sum + one, 0) <= tokens) return [...lines];
  const wanted = [...keysOf(question)].slice(0, longestQuestion);
  const keys = lines.map(({ text }) => keysOf(text));
  const weights = wanted.map((key) => {
    const count = keys.filter((own) => own.has(key)).length;
    return count === 0 ? 0 : Math.log(1 + lines.length / count);
  });
  const scores = keys.map((own) => wanted.reduce((sum, key, i) => sum + (own.has(key) ? (weights[i] ?? 0) : 0), 0));
  const best = [...lines.keys()].sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0) || one - other);
  const chosen = new Set<number>();
  let left = tokens;
  for (const nth of best)
    for (const one of [nth, nth + 1, nth - 1]) {
      const cost = costs[one];
      if (cost === undefined || chosen.has(one) || cost > left) continue;
      chosen.add(one);
      left -= cost;
    }
  return [...chosen].sort((one, other) => one - other).flatMap((nth) => lines[nth] ?? []);
}

/** Lines that two pieces in a row share, so that what is said across their border is read once as a whole. */
const sharedLines = 2;

/** A transcript in pieces that fit, in their order. */
export function piecesOf(lines: readonly Line[], tokens: number): Line[][] {
  const pieces: Line[][] = [];
  for (let from = 0; from < lines.length;) {
    let [to, left] = [from, tokens];
    while (to < lines.length) {
      const line = lines[to];
      left -= line ? guessTokens(writtenLine(line)) + 1 : 0;
      if (left < 0 && to > from) break;
      to += 1;
    }
    pieces.push(lines.slice(from, to));
    if (to === lines.length) break;
    from = Math.max(from + 1, to - sharedLines);
  }
  return pieces;
}
