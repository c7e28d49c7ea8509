import type * as Y from 'yjs';
import type { Reading, SpokenSegment, Word } from './words.ts';

// Words to check: those of low confidence. A changed word is no doubt any more; a correct one is marked as checked, for
// everybody, under the id of its first character, so that the mark moves with it.

const doubtBelow = 0.6;

export const checkedOf = (doc: Y.Doc): Y.Map<unknown> => doc.getMap('checked');
const keyOf = ({ seed, clock }: NonNullable<Word['source']>): string => `${seed}:${clock}`;

export interface Doubt {
  segment: number;
  word: number;
  /** Flat position. */
  at: number;
  length: number;
  confidence: number;
}

/** Words of a segment with low confidence, checked or not. */
export const unsureIn = ({ words }: SpokenSegment, below: number): number[] =>
  words.flatMap(({ confidence, source, text }, word) =>
    confidence !== null && confidence < below && source !== null && /[\p{L}\p{N}]/u.test(text) ? [word] : [],
  );

/** `unsure` may be a caching function: unchanged segments are the same objects. */
export function findDoubts(
  doc: Y.Doc,
  { segments, starts }: Reading,
  below = doubtBelow,
  unsure: (segment: SpokenSegment) => readonly number[] = (segment) => unsureIn(segment, below),
): Doubt[] {
  const checked = checkedOf(doc);
  return segments.flatMap((spoken, segment) =>
    unsure(spoken).flatMap((word): Doubt[] => {
      const { source, at, text, confidence } = spoken.words[word] ?? {};
      if (!source || at === undefined || !text || checked.get(keyOf(source)) === true) return [];
      return [{ segment, word, at: (starts[segment] ?? 0) + at, length: text.length, confidence: confidence ?? 0 }];
    }),
  );
}

/** The first doubt after a flat position, or the last one before it; wraps around. */
export function nextDoubt(doubts: readonly Doubt[], at: number, step: 1 | -1): Doubt | null {
  const found = step === 1 ? doubts.find((one) => one.at > at) : doubts.findLast((one) => one.at < at);
  return found ?? doubts.at(step === 1 ? 0 : -1) ?? null;
}

/** Marks words as correct; with `right` false, removes the marks. */
export function checkWords(doc: Y.Doc, words: readonly Word[], right: boolean, origin: unknown): void {
  const checked = checkedOf(doc);
  doc.transact(() => {
    for (const { source } of words) {
      if (!source || (checked.get(keyOf(source)) === true) === right) continue;
      if (right) checked.set(keyOf(source), true);
      else checked.delete(keyOf(source));
    }
  }, origin);
}
