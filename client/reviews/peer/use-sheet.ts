import { sheetOf, type SheetRow } from '#shared/reviews/sheet.ts';
import { gradeKey, type SheetGrade } from '#shared/meetings/grades.ts';
import type { Outcome } from '#shared/meetings/annotations.ts';
import { typeOf } from '#shared/meetings/outcome-types.ts';
import type { Place } from '#shared/meetings/anchors.ts';

import { useAnnotations, usePlaces } from '../../meetings/annotations/base/open-annotations.ts';
import { useAsking } from '../../meetings/annotations/base/use-asking.ts';
import { useTypes } from '../../meetings/annotations/outcomes/use-model.ts';
import { useOpened } from './opened.ts';

export interface Passage extends Pick<Outcome, 'type' | 'grade'> {
  outcome: Outcome;
  place: Place | undefined;
}

/** Competencies of the review with the passages of the open layer, in the order of the transcript; null until they are loaded. */
export function useSheet(): SheetRow<Passage>[] | null {
  const view = useAnnotations();
  const places = usePlaces();
  const asked = useTypes();
  const keyOf = useGradeKey();
  if (!view?.ready) return null;
  const passages = [...view.outcome.values()]
    .map((outcome): Passage => ({
      ...{ type: outcome.type, grade: outcome.grade, outcome },
      place: places.get(`outcome ${outcome.id}`),
    }))
    .sort(
      (one, other) =>
        (one.place?.from ?? Infinity) - (other.place?.from ?? Infinity) || one.outcome.start - other.outcome.start,
    );
  // Passages stay visible when the review asks for other types now.
  const known = new Set(asked.map(({ id }) => id));
  const others = [...new Set(passages.map(({ type }) => type))].flatMap((id) =>
    known.has(id) ? [] : (typeOf(id) ?? []),
  );
  const types = [...asked, ...others];
  const grades = types.flatMap(({ id }): [string, SheetGrade][] => {
    const given = view.grade.get(keyOf(id));
    return given ? [[id, given]] : [];
  });
  return sheetOf(types, passages, new Map(grades));
}

/** Key of a type's grade in the layer that is shown: in a shared one, that of this person's own. */
export function useGradeKey(): (type: string) => string {
  const { shown } = useOpened();
  const { userId, reviewerId } = useAsking();
  return (type) => gradeKey(type, shown.kind === 'shared' ? (reviewerId ?? userId) : null);
}
