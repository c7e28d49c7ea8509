import { useAtomValue } from 'jotai';

import type { AnnotationKind } from '#shared/meetings/annotations.ts';

import { useNotify } from '../../../store.ts';
import { useTranslation } from '../../../use-translation.ts';
import { annotationsAtom } from './open-annotations.ts';

/** Deletes an annotation with an undo in the notice; the server is told when the notice is gone. */
export function useDelete(): (kind: AnnotationKind, id: string, said: string) => void {
  const { t } = useTranslation('annotations');
  const items = useAtomValue(annotationsAtom);
  const notify = useNotify();
  return (kind, id, said) => {
    if (!items) return;
    const { takeBack, over } = items.delete(kind, id);
    const onClick = () => {
      if (!takeBack()) notify({ message: t('tooLate') });
    };
    notify({
      type: 'info',
      message: [said, ' ', { kind: 'clickable', text: t('undo'), onClick }],
      // The pressed notice closes before its click handler runs.
      onGone: () => queueMicrotask(over),
    });
  };
}
