import { useAtomValue, useSetAtom } from 'jotai';

import type { Annotation, AnnotationKind } from '#shared/meetings/annotations.ts';

import { useShowPlace } from '../../open/use-show-place.ts';
import { chosenAtom, placesAtom } from './open-annotations.ts';
import { keyOf } from './places.ts';

/** Scrolls to the passage of an annotation and moves playback there. */
export function useGoToAnnotation(): (kind: AnnotationKind, item: Annotation) => void {
  const showPlace = useShowPlace();
  const places = useAtomValue(placesAtom);
  const choose = useSetAtom(chosenAtom);
  return (kind, item) => {
    choose({ kind, id: item.id });
    showPlace(item.start * 1000, () => places?.settle().get(keyOf({ kind, id: item.id }))?.from ?? null);
  };
}
