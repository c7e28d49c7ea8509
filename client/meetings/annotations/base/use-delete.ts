import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';

import type { AnnotationKind } from '#shared/meetings/annotations.ts';

import { useNotify } from '../../../store.ts';
import { annotationsAtom } from './open-annotations.ts';

/** Takes something away and says so; it can be had back as long as that is on the screen, and leaves for the server then. */
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
      // What is pressed goes away before it does what it says.
      onGone: () => queueMicrotask(over),
    });
  };
}
