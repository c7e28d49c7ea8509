import type { Comment, Outcome } from '#shared/meetings/annotations.ts';
import type { SheetGrade } from '#shared/meetings/grades.ts';
import { inCodeOrder, typeOf } from '#shared/meetings/outcome-types.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { gradeOf } from '#shared/reviews/agreement.ts';

// Assessments side by side: a row a type, a column a person.

/** A layer that the caller reads, with the name of the person whose assessment it is; null: many people share it. */
export interface LayerColumn {
  layer: string;
  name: string | null;
}

interface Assessment {
  /** Same for one person in one layer. */
  key: string;
  name: string;
  outcomes: readonly Outcome[];
  comments: readonly Comment[];
  /** Grades of the sheet. */
  grades: readonly SheetGrade[];
}

interface Cell {
  /** Grade of the sheet, else the lower median of the graded passages; null without any. */
  grade: number | null;
  outcomes: readonly Outcome[];
}

interface ResultRow {
  type: string;
  cells: readonly Cell[];
}

type People = Pick<ReviewView, 'student' | 'reviewers'>;

const peopleOf = ({ student, reviewers }: People) => [...(student ? [{ ...student, email: null }] : []), ...reviewers];

/** Names of people in a review, where they are told, by their accounts and their rows. */
export const namesOf = (review: People): ReadonlyMap<string, string> =>
  new Map([
    ...peopleOf(review).flatMap(({ userId, name, email }) =>
      userId === null ? [] : [[userId, name ?? email ?? ''] as const],
    ),
    ...review.reviewers.map(({ id, name, email }) => [id, name ?? email ?? ''] as const),
  ]);

/** Layers with assessments: the caller’s rights decide which there are. */
export function columnsOf({ layers, ...review }: People & Pick<ReviewView, 'layers'>): LayerColumn[] {
  const own = peopleOf(review).flatMap(({ cloneId, name, email }) =>
    cloneId === null ? [] : [{ layer: cloneId, name: name ?? email ?? '' }],
  );
  return [...layers.flatMap(({ id, kind }) => (kind === 'shared' ? [{ layer: id, name: null }] : [])), ...own];
}

/** Assessments of one layer: a shared one has one for each author; `names` has those of people who only set grades. */
export function assessmentsOf(
  { layer, name }: LayerColumn,
  { outcomes, comments, grades }: Pick<Assessment, 'outcomes' | 'comments' | 'grades'>,
  names: ReadonlyMap<string, string> = new Map(),
): Assessment[] {
  if (name !== null) return [{ key: layer, name, outcomes, comments, grades }];
  const authors = new Map(
    [...outcomes, ...comments].map(({ author }) => [author.id, author.name || (names.get(author.id) ?? '')]),
  );
  for (const { by, grade } of grades) if (grade !== null && !authors.has(by)) authors.set(by, names.get(by) ?? '');
  return [...authors].map(([id, author]) => ({
    ...{ key: `${layer} ${id}`, name: author },
    outcomes: outcomes.filter((one) => one.author.id === id),
    comments: comments.filter((one) => one.author.id === id),
    grades: grades.filter(({ by }) => by === id),
  }));
}

/** Types that somebody used, in the order of their codes. */
export function rowsOf(assessments: readonly Assessment[]): ResultRow[] {
  const types = [
    ...new Set(
      assessments.flatMap(({ outcomes, grades }) => [
        ...outcomes.map(({ type }) => type),
        ...grades.flatMap(({ type, grade }) => (grade === null ? [] : type)),
      ]),
    ),
  ];
  const known = types.flatMap((id) => typeOf(id) ?? []).toSorted(inCodeOrder);
  const unknown = types.filter((id) => typeOf(id) === null).toSorted();
  return [...known.map(({ id }) => id), ...unknown].map((type) => ({
    type,
    cells: assessments.map(({ outcomes: all, grades }) => {
      const outcomes = all.filter((one) => one.type === type);
      return {
        grade: gradeOf(
          grades.find((one) => one.type === type)?.grade ?? null,
          outcomes.map(({ grade }) => grade),
        ),
        outcomes,
      };
    }),
  }));
}
