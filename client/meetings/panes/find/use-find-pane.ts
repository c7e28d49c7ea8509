import { IconSearch } from '@tabler/icons-react';
import { useSetAtom } from 'jotai';

import { useTranslation } from '../../../use-translation.ts';
import type { Pane } from '../../base/pane.ts';
import { useAction } from '../../base/actions.ts';
import { useDocument } from '../../open/meeting-context.ts';
import { openPaneAtom } from '../../base/open-pane.ts';
import { useOpenText } from '../../open/open-text.ts';
import { findFocusAtom, findFormAtom } from './find-form.ts';
import { FindPane } from './find-pane.tsx';
import { useCorrections } from './use-corrections.ts';

/** Longest selection taken as a query. */
const longest = 100;

/** Find pane, and the shortcuts that open it with the selected text. */
export function useFindPane(): Pane {
  const { t } = useTranslation('find');
  const { editable } = useDocument();
  const open = useOpenText();
  const openPane = useSetAtom(openPaneAtom);
  const fill = useSetAtom(findFormAtom);
  const focus = useSetAtom(findFocusAtom);
  const show = (field: 'query' | 'replacement') => {
    if (!open) return false;
    const { selection, doc } = open.editor.state;
    const { from, to, $from, $to } = selection;
    const query = $from.sameParent($to) && to - from <= longest ? doc.textBetween(from, to).trim() : '';
    if (query !== '' && open.editor.isFocused) fill((form) => ({ ...form, query }));
    openPane('find');
    focus({ field });
    return true;
  };
  useCorrections();
  useAction('find', open && (() => show('query')));
  useAction('replace', open && editable ? () => show('replacement') : null);
  return { id: 'find', label: t('title'), short: t('short'), icon: IconSearch, button: 'tab', Content: FindPane };
}
