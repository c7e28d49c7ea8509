import { useSetAtom } from 'jotai';
import { useEffect, useEffectEvent } from 'react';

import { search } from '#shared/meetings/search.ts';

import { useSession } from '../../../session.ts';
import { useNotify } from '../../../store.ts';
import { useTranslation } from '../../../use-translation.ts';
import { openPaneAtom } from '../../base/open-pane.ts';
import { useDocument } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';
import type { Correction } from './correction.ts';
import { Corrections } from './corrections.ts';
import { findFormAtom, keepAtom } from './find-form.ts';

/** Milliseconds for which a notice offers what to do with a correction. */
const offeredFor = 12_000;

/** Offers, where a name was corrected by typing, the same for its other places, and its glossary. */
export function useCorrections(): void {
  const { t } = useTranslation('find');
  const { editable, doc } = useDocument();
  const { data: session } = useSession();
  const open = useOpenText();
  const notify = useNotify();
  const openPane = useSetAtom(openPaneAtom);
  const fill = useSetAtom(findFormAtom);
  const keep = useSetAtom(keepAtom);
  const signedIn = session !== undefined && session.principal.kind !== 'anonymous';
  const offer = useEffectEvent((correction: Correction) => {
    const { heard, term } = correction;
    const caseSensitive = heard.toLowerCase() === term.toLowerCase();
    // Replaced everywhere, a name that holds the old word would hold it twice.
    const repeats = !caseSensitive && term.toLowerCase().includes(heard.toLowerCase());
    const count = repeats ? 0 : search(doc, heard, { wholeWords: true, caseSensitive }).length;
    const others = () => {
      fill({ query: heard, replacement: term, caseSensitive, wholeWords: true });
      openPane('find');
    };
    const keepThis = () => {
      others();
      keep(correction);
    };
    if (count === 0 && !signedIn) return;
    notify({
      type: 'info',
      message: [
        t('corrected', { heard, term }),
        ...(count > 0 ? [' ', { kind: 'clickable' as const, text: t('others', { count }), onClick: others }] : []),
        ...(signedIn ? [' ', { kind: 'clickable' as const, text: t('keep'), onClick: () => keepThis() }] : []),
      ],
      duration: offeredFor,
    });
  });
  const editor = editable ? open?.editor : undefined;
  useEffect(() => (editor ? new Corrections(editor, (one) => offer(one)).open() : undefined), [editor]);
}
