import { IconQuestionMark } from '@tabler/icons-react';
import { useAtom, useAtomValue } from 'jotai';
import { useEffect } from 'react';

import { useTranslation } from '../../../use-translation.ts';
import type { Pane } from '../../base/pane.ts';
import { useAction } from '../../base/actions.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { useOpenText } from '../../open/open-text.ts';
import { insertTag } from '../../text/sentence-keys.ts';
import { DoubtsCount, DoubtsPane } from './doubts-pane.tsx';
import { Doubts } from './doubts.ts';
import { doubtsAtom } from './open-doubts.ts';
import { thresholdAtom, thresholds } from './stored-threshold.ts';

/** Pane with the words to check; their highlights and shortcuts also work while it is closed. */
export function useDoubtsPane(): Pane {
  const { t } = useTranslation('doubts');
  const { words, live, player } = useMeeting();
  const open = useOpenText();
  const [doubts, setDoubts] = useAtom(doubtsAtom);
  const threshold = useAtomValue(thresholdAtom);
  const { awareness, editable } = live;
  useEffect(() => {
    // After a restore the editor briefly still belongs to the old document.
    if (!open || open.binding.doc !== words.doc) return;
    const made = new Doubts(open, words, awareness, player);
    const end = made.open();
    setDoubts(made);
    return () => {
      setDoubts(null);
      end();
    };
  }, [open, words, awareness, player, setDoubts]);
  useEffect(() => doubts?.mark(thresholds[threshold]), [doubts, threshold]);
  useAction('nextDoubt', doubts && (() => doubts.go(1)));
  useAction('previousDoubt', doubts && (() => doubts.go(-1)));
  useAction('acceptDoubt', doubts && editable ? () => doubts.accept() : null);
  useAction(
    'tag',
    open && editable
      ? () => {
          const { view } = open.editor;
          insertTag('inaudible', (pos) => words.timeAt(pos))(view.state, (tr) => view.dispatch(tr));
        }
      : null,
  );
  return {
    id: 'doubts',
    label: t('title'),
    icon: IconQuestionMark,
    button: 'rail',
    Count: DoubtsCount,
    Content: DoubtsPane,
  };
}
