import { useAtomValue } from 'jotai';
import { useTranslation } from 'react-i18next';

import type { Anchored } from '#shared/meetings/anchors.ts';
import type { Outcome } from '#shared/meetings/annotations.ts';

import { useNotify } from '../../../store.ts';
import { annotationsAtom } from '../base/open-annotations.ts';

/** Gives an outcome another passage, and offers to undo that; returns what undoes it. */
export function useMoveOutcome(): (outcome: Outcome, passage: Anchored) => () => void {
  const { t } = useTranslation(['outcomes', 'annotations']);
  const items = useAtomValue(annotationsAtom);
  const notify = useNotify();
  return ({ id, start, end, quote, anchor }, passage) => {
    const put = (to: Anchored) =>
      items?.do('outcome', id, {
        do: 'change',
        change: { start: to.start, end: to.end, quote: to.quote, anchor: to.anchor },
      });
    put(passage);
    // The notice, and so its undo, may outlast a recording that is closed.
    const back = () => {
      if (!put({ start, end, quote, anchor })) notify({ message: t('annotations:tooLateHere') });
    };
    notify({
      type: 'info',
      message: [t('moved'), ' ', { kind: 'clickable', text: t('annotations:undo'), onClick: back }],
    });
    return back;
  };
}
