import { useAtomValue, useSetAtom } from 'jotai';

import type { Anchored } from '#shared/meetings/anchors.ts';

import { useNotify } from '../../../store.ts';
import { mainId } from '../../../ui/skip-link.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useOpenText } from '../../open/open-text.ts';
import { annotationsAtom, chosenAtom } from '../base/open-annotations.ts';
import { focusedCardAtom } from './state.ts';
import { useTypeName } from './use-type-name.ts';

/**
 * Adds an outcome of a type to a passage, with an undo in the notice, and gives its card the focus, so that a key grades
 * it.
 */
export function useAddOutcome(): (type: string, passage: Anchored, isPrivate: boolean) => void {
  const { t } = useTranslation(['outcomes', 'annotations']);
  const items = useAtomValue(annotationsAtom);
  const choose = useSetAtom(chosenAtom);
  const focus = useSetAtom(focusedCardAtom);
  const notify = useNotify();
  const nameOf = useTypeName();
  const open = useOpenText();
  return (type, passage, isPrivate) => {
    if (!items) return;
    const begun = items.begin(passage, isPrivate);
    items.do('outcome', begun.id, {
      do: 'add',
      item: {
        ...begun,
        type,
        text: '',
        children: [],
        grade: null,
        automatic: false,
        wasAutomatic: false,
        url: null,
      },
    });
    choose({ kind: 'outcome', id: begun.id });
    focus(begun.id);
    // The notice, and so its undo, may outlast a recording that is closed.
    const back = () => {
      const onCard = document.activeElement?.closest('[data-outcome]')?.getAttribute('data-outcome') === begun.id;
      if (!items.do('outcome', begun.id, { do: 'delete' })) return notify({ message: t('annotations:tooLateHere') });
      // The focus would go with the card. Only a text that can be edited takes it.
      if (!onCard) return;
      if (open && !open.view.isDestroyed && open.view.editable) open.view.focus();
      else document.getElementById(mainId)?.focus();
    };
    notify({
      type: 'info',
      message: [
        t('added', { type: nameOf(type) }),
        ' ',
        { kind: 'clickable', text: t('annotations:undo'), onClick: back },
      ],
    });
  };
}
