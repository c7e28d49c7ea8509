import type * as Y from 'yjs';
import type { GradeChange } from './annotation-inputs.ts';
import { mergeTexts } from './summary.ts';

// Grades of a layer's sheet: one for each type, with or without passages. Each is one plain value under its key, written
// by the server alone.

/** Root of a layer's document. */
export const gradesRoot = 'grades';

/** Length of the words that explain a grade. */
export const longestGradeWords = 2000;

export interface SheetGrade {
  key: string;
  type: string;
  /** Grade that is set here; null lets the passages decide. */
  grade: number | null;
  words: string;
  /** Rises with each change. */
  rev: number;
  /** Id of the account that set it last; in an anonymous review, that of a row in the list of reviewers. */
  by: string;
}

/** Key of a type's grade; in a layer that many annotate, each of them has their own. */
export const gradeKey = (type: string, author: string | null): string => (author === null ? type : `${type} ${author}`);

export const typeOfKey = (key: string): string => key.split(' ')[0] ?? '';

export const noGrade = (key: string, by: string): SheetGrade => ({
  ...{ key, type: typeOfKey(key), grade: null, words: '', rev: 0, by },
});

/** The grade after a change: computed by the server before it writes, and by the page to show it at once. */
export const changedGrade = (now: SheetGrade, { grade, words, wordsWas }: GradeChange, by: string): SheetGrade => ({
  ...now,
  ...(grade !== undefined && { grade }),
  ...(words !== undefined && { words: wordsWas === undefined ? words : mergeTexts(wordsWas, now.words, words) }),
  by,
});

export function readGrades(doc: Y.Doc): Map<string, SheetGrade> {
  const found = new Map<string, SheetGrade>();
  for (const [key, value] of doc.getMap(gradesRoot)) {
    const { grade, words, rev, by } = (value ?? {}) as Partial<Record<keyof SheetGrade, unknown>>;
    if (typeof rev !== 'number' || typeof by !== 'string') continue;
    found.set(key, {
      ...{ key, type: typeOfKey(key), rev, by },
      grade: typeof grade === 'number' ? grade : null,
      words: typeof words === 'string' ? words : '',
    });
  }
  return found;
}

export function writeGrade(doc: Y.Doc, { key, grade, words, rev, by }: SheetGrade, origin: unknown): void {
  doc.transact(() => doc.getMap(gradesRoot).set(key, { grade, words, rev, by }), origin);
}
