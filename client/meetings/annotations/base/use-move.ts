import { useAtomValue } from 'jotai';

import type { Anchored } from '#shared/meetings/anchors.ts';
import type { Annotation, AnnotationKind } from '#shared/meetings/annotations.ts';

import { useNotify } from '../../../store.ts';
import { useTranslation } from '../../../use-translation.ts';
import { annotationsAtom } from './open-annotations.ts';

/** Gives an annotation another passage, and offers to undo that; returns what undoes it. */
export function useMove(): (kind: AnnotationKind, item: Annotation, passage: Anchored) => () => void {
  const { t } = useTranslation('annotations');
  const items = useAtomValue(annotationsAtom);
  const notify = useNotify();
  return (kind, { id, start, end, quote, anchor }, passage) => {
    const put = (to: Anchored) =>
      items?.do(kind, id, {
        do: 'change',
        change: { start: to.start, end: to.end, quote: to.quote, anchor: to.anchor },
      });
    put(passage);
    // The notice, and so its undo, may outlast a recording that is closed.
    const back = () => {
      if (!put({ start, end, quote, anchor })) notify({ message: t('tooLateHere') });
    };
    notify({
      type: 'info',
      message: [t('moved'), ' ', { kind: 'clickable', text: t('undo'), onClick: back }],
    });
    return back;
  };
}
