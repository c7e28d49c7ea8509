import { IconMessages } from '@tabler/icons-react';
import { useSetAtom } from 'jotai';
import { useEffect } from 'react';

import { mayAdd } from '#shared/meetings/annotation-rules.ts';

import { part } from '../../../errors/part.tsx';
import { useNotify } from '../../../store.ts';
import { Waiting } from '../../../ui/waiting.tsx';
import { useTranslation } from '../../../use-translation.ts';
import type { Pane } from '../../base/pane.ts';
import { begunAtom, useAnnotations } from '../base/open-annotations.ts';
import { passageToAnnotate } from '../base/selection.ts';
import { threadsOf } from '../base/threads.ts';
import { useAsking } from '../base/use-asking.ts';
import { useAction } from '../../base/actions.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { openPaneAtom } from '../../base/open-pane.ts';
import { useOpenText } from '../../open/open-text.ts';
import { composeFocusAtom } from './drafts.ts';

const CommentsPane = part(() => import('./comments-pane.tsx'), { waiting: <Waiting>{null}</Waiting> });

/** Comments pane, and the shortcut that begins a comment. */
export function useCommentsPane(): Pane {
  const { t } = useTranslation(['comments', 'annotations']);
  const { words, player, live } = useMeeting();
  const open = useOpenText();
  const asking = useAsking();
  const notify = useNotify();
  const openPane = useSetAtom(openPaneAtom);
  const begin = useSetAtom(begunAtom);
  const focus = useSetAtom(composeFocusAtom);
  const compose = () => {
    const stretch = open && passageToAnnotate(open, words, player, live.generation);
    if (!stretch) notify({ type: 'info', message: t('annotations:selectFirst') });
    else {
      begin(stretch);
      openPane('comments');
      focus((count) => count + 1);
    }
  };
  // The shortcut works before the comments are loaded; only the pane waits for them.
  useAction('comment', open && mayAdd(asking, true) ? compose : null);
  // Leaving the recording drops the chosen passage.
  useEffect(() => () => begin(null), [begin]);
  return {
    id: 'comments',
    label: t('title'),
    icon: IconMessages,
    button: 'tab',
    Count: CommentsCount,
    Content: CommentsPane,
  };
}

function CommentsCount() {
  const view = useAnnotations();
  const open = view ? threadsOf(view.comment).filter(({ root }) => root.resolved === null).length : 0;
  return open > 0 ? open : null;
}
