import {
  mostOverlaps,
  passagesInCell,
  passagesInRow,
  rowKey,
  type ComparedBy,
  type ComparedCell,
  type ComparedRow,
} from '#shared/compare.ts';
import type { Highlighted } from '#shared/meetings/entries.ts';
import type { SheetGrade } from '#shared/meetings/grades.ts';
import { sortIdOf, typeOf } from '#shared/meetings/outcome-types.ts';
import { gradeOf } from '#shared/reviews/agreement.ts';
import type { ComparedOutcome } from './outcomes.ts';

// The rows of a comparison, of what each column holds.

export interface Compared {
  meeting: string;
  /** True for an assessment of a review. */
  assesses: boolean;
  /** True for suggestions of a language model: they stand beside what people marked, and no part begins or ends with them. */
  machine: boolean;
  outcomes: readonly ComparedOutcome[];
  highlights: readonly Highlighted[];
  /** Grades of an assessment's sheet. */
  grades: readonly SheetGrade[];
}

interface Marked {
  id: string;
  start: number;
  end: number;
  quote: string;
  text: string;
  grade: number | null;
}

/** Makes the cells of a table; `sheet`: the grade that is set there. */
type CellOf = (marked: readonly Marked[], sheet?: number | null) => ComparedCell | null;

const cellWith =
  (most: number): CellOf =>
  (marked, sheet = null) => {
    if (marked.length === 0 && sheet === null) return null;
    return {
      grade: gradeOf(
        sheet,
        marked.map(({ grade }) => grade),
      ),
      count: marked.length,
      passages: marked
        .slice(0, most)
        .map(({ id, start, end, quote, text, grade }) => ({ id, start, end, quote, text, grade })),
    };
  };

interface Rows {
  rows: ComparedRow[];
  /** Number of rows beyond them. */
  moreRows: number;
}

/** `row`: key of the one row that is wanted, with all its passages. */
export function rowsOf(columns: readonly Compared[], by: ComparedBy, row: string | undefined): Rows {
  const cellOf = cellWith(row === undefined ? passagesInCell : passagesInRow);
  const isWanted = (one: Parameters<typeof rowKey>[0]) => row === undefined || rowKey(one) === row;
  if (by === 'overlaps') return rowsOfParts(columns, cellOf, isWanted);
  const rows = by === 'outcomes' ? rowsOfOutcomes(columns, cellOf) : rowsOfHighlights(columns, cellOf);
  return { rows: rows.filter(isWanted), moreRows: 0 };
}

const inOrder = (one: string, other: string): number =>
  sortIdOf(typeOf(one)) - sortIdOf(typeOf(other)) || (one < other ? -1 : 1);

interface OfType {
  outcomes: readonly ComparedOutcome[];
  /** Types that are set below it. */
  children: ReadonlySet<string>;
}

/** Lists are never changed, so that what was made of one holds as long as it is there. */
const known = new WeakMap<readonly ComparedOutcome[], ReadonlyMap<string, OfType>>();

/** Types of outcomes, with the outcomes of each. */
export function typesOf(outcomes: readonly ComparedOutcome[]): ReadonlyMap<string, OfType> {
  const found = known.get(outcomes);
  if (found) return found;
  const made = new Map<string, { outcomes: ComparedOutcome[]; children: Set<string> }>();
  for (const one of outcomes) {
    const of = made.get(one.type) ?? { outcomes: [], children: new Set() };
    made.set(one.type, of);
    of.outcomes.push(one);
    for (const child of one.children) of.children.add(child.type);
  }
  known.set(outcomes, made);
  return made;
}

/** Types in the order of their codes, each with the types that are set below it. */
function rowsOfOutcomes(columns: readonly Compared[], cellOf: CellOf): ComparedRow[] {
  const children = new Map<string, Set<string>>();
  const add = (type: string, below: Iterable<string>) => {
    const all = children.get(type) ?? new Set();
    children.set(type, all);
    for (const child of below) all.add(child);
  };
  for (const { outcomes, grades } of columns) {
    for (const [type, of] of typesOf(outcomes)) add(type, of.children);
    for (const { type, grade } of grades) if (grade !== null) add(type, []);
  }
  return [...children.keys()].toSorted(inOrder).flatMap((type) => {
    const found = columns.map(({ outcomes }) => typesOf(outcomes).get(type)?.outcomes ?? []);
    const childRows = [...(children.get(type) ?? [])].toSorted(inOrder).map((child) => ({
      ...{ type: child, parent: type, part: null },
      cells: found.map((all) =>
        cellOf(
          all.flatMap((one) => {
            const set = one.children.find((other) => other.type === child);
            return set ? [{ ...one, grade: set.grade }] : [];
          }),
        ),
      ),
    }));
    const cells = columns.map(({ grades }, nth) =>
      cellOf(found[nth] ?? [], grades.find((one) => one.type === type)?.grade ?? null),
    );
    return [{ ...{ type, parent: null, part: null }, cells }, ...childRows];
  });
}

function rowsOfHighlights(columns: readonly Compared[], cellOf: CellOf): ComparedRow[] {
  const colors = [...new Set(columns.flatMap(({ highlights }) => highlights.map(({ color }) => color)))].toSorted();
  return colors.map((color) => ({
    ...{ type: color, parent: null, part: null },
    cells: columns.map(({ highlights }) =>
      cellOf(highlights.filter((one) => one.color === color).map((one) => ({ ...one, text: '', grade: null }))),
    ),
  }));
}

/**
 * Parts of a transcript by who marked them: those that more than one assessment of a recording could have marked. There are
 * twice as many as passages, so that cells are made of those alone that are answered.
 */
function rowsOfParts(
  columns: readonly Compared[],
  cellOf: CellOf,
  isWanted: (row: Omit<ComparedRow, 'cells'>) => boolean,
): Rows {
  const meetings = [...new Set(columns.flatMap(({ assesses, meeting }) => (assesses ? meeting : [])))];
  const found = meetings.flatMap((meeting) => {
    const concerned = columns.flatMap((column, nth) => (column.assesses && column.meeting === meeting ? nth : []));
    if (concerned.length < 2) return [];
    return partsOf(columns, concerned).map(({ start, end, by }) => {
      const marked = by.length === concerned.length ? 'all' : by.length === 1 ? 'one' : 'some';
      return { row: { type: null, parent: null, part: { meeting, start, end, marked } as const }, by };
    });
  });
  const wanted = found.filter(({ row }) => isWanted(row));
  const rows = wanted.slice(0, mostOverlaps).map(({ row, by }) => ({
    ...row,
    cells: columns.map(({ outcomes, machine, meeting }, nth) =>
      by.includes(nth) || (machine && meeting === row.part.meeting)
        ? cellOf(outcomes.filter((one) => one.start < row.part.end && one.end > row.part.start))
        : null,
    ),
  }));
  return { rows, moreRows: wanted.length - rows.length };
}

interface Part {
  start: number;
  end: number;
  /** Columns that marked it. */
  by: readonly number[];
}

/** Goes through the transcript once; a part ends where a column begins or ends to mark it. */
function partsOf(columns: readonly Compared[], concerned: readonly number[]): Part[] {
  const turns = concerned.flatMap((nth) =>
    (columns[nth]?.outcomes ?? []).flatMap(({ start, end }) =>
      end > start
        ? [
            { at: start, nth, more: 1 },
            { at: end, nth, more: -1 },
          ]
        : [],
    ),
  );
  turns.sort((one, other) => one.at - other.at);
  const open = new Map<number, number>();
  const parts: Part[] = [];
  for (const [i, { at, nth, more }] of turns.entries()) {
    open.set(nth, (open.get(nth) ?? 0) + more);
    const until = turns[i + 1]?.at;
    if (until === undefined || until === at) continue;
    const by = concerned.filter((one) => (open.get(one) ?? 0) > 0);
    const last = parts.at(-1);
    if (by.length === 0) continue;
    if (last?.end === at && last.by.join() === by.join()) last.end = until;
    else parts.push({ start: at, end: until, by });
  }
  return parts;
}
