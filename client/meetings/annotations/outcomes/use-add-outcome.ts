import { useAtomValue, useSetAtom } from 'jotai';

import type { Anchored } from '#shared/meetings/anchors.ts';

import { annotationsAtom, chosenAtom } from '../base/open-annotations.ts';
import { focusedCardAtom } from './state.ts';

/** Adds an outcome of a type to a passage, and gives its card the focus, so that a key grades it. */
export function useAddOutcome(): (type: string, passage: Anchored, isPrivate: boolean) => void {
  const items = useAtomValue(annotationsAtom);
  const choose = useSetAtom(chosenAtom);
  const focus = useSetAtom(focusedCardAtom);
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
  };
}
