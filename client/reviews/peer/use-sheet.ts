import { sheetOf, type SheetRow } from '#shared/reviews/sheet.ts';
import type { Outcome } from '#shared/meetings/annotations.ts';
import { typeOf } from '#shared/meetings/outcome-types.ts';
import type { Place } from '#shared/meetings/anchors.ts';

import { useAnnotations, usePlaces } from '../../meetings/annotations/base/open-annotations.ts';
import { useTypes } from '../../meetings/annotations/outcomes/use-model.ts';

export interface Passage extends Pick<Outcome, 'type' | 'grade'> {
  outcome: Outcome;
  place: Place | undefined;
}

/** Competencies of the review with the passages of the open layer, in the order of the transcript; null until they are loaded. */
export function useSheet(): SheetRow<Passage>[] | null {
  const view = useAnnotations();
  const places = usePlaces();
  const asked = useTypes();
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
  return sheetOf([...asked, ...others], passages);
}
