import { IconMessages } from '@tabler/icons-react';
import { useAtomValue, useSetAtom } from 'jotai';
import { lazy, Suspense, useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';

import { mayAdd } from '#shared/meetings/item-rules.ts';

import { loadChunk } from '../../load.ts';
import { useNotify } from '../../store.ts';
import { Waiting } from '../../ui/waiting.tsx';
import type { Pane } from '../dock.tsx';
import { begunAtom, itemsAtom, placesAtom, useItems } from '../items/open-items.ts';
import { meantStretch } from '../items/selection.ts';
import { threadsOf, threadWith } from '../items/threads.ts';
import { useAsking } from '../items/use-asking.ts';
import { useGoToItem } from '../items/use-go-to-item.ts';
import { useAction } from '../keys/actions.ts';
import { useMeeting } from '../meeting-context.ts';
import { openPaneAtom } from '../open-pane.ts';
import { useOpenText } from '../transcript/open-text.ts';
import { composeFocusAtom } from './drafts.ts';

const CommentsView = lazy(() => loadChunk(() => import('./comments-pane.tsx')));

/** The pane, the key that begins a comment, and the address that leads to one. */
export function useCommentsPane(): Pane {
  const { t } = useTranslation(['comments', 'items']);
  const { words, player, live } = useMeeting();
  const open = useOpenText();
  const items = useAtomValue(itemsAtom);
  const asking = useAsking();
  const notify = useNotify();
  const openPane = useSetAtom(openPaneAtom);
  const begin = useSetAtom(begunAtom);
  const focus = useSetAtom(composeFocusAtom);
  const compose = () => {
    const stretch = open && meantStretch(open, words, player, live.generation);
    if (!stretch) notify({ type: 'info', message: t('items:selectFirst') });
    else {
      begin(stretch);
      openPane('comments');
      focus((count) => count + 1);
    }
  };
  useAction('comment', open && items && mayAdd(asking, true) ? compose : null);
  // Another recording has its own words.
  useEffect(() => () => begin(null), [begin]);
  useDeepLink();
  return {
    id: 'comments',
    label: t('title'),
    short: t('short'),
    icon: IconMessages,
    Count: CommentsCount,
    Content: CommentsPane,
  };
}

function CommentsCount() {
  const view = useItems();
  const going = view ? threadsOf(view.comment).filter(({ root }) => root.resolved === null).length : 0;
  return going > 0 ? going : null;
}

function CommentsPane() {
  return (
    <Suspense fallback={<Waiting>{null}</Waiting>}>
      <CommentsView />
    </Suspense>
  );
}

/** `?comment=<id>`: opens the pane at that comment, once it is there. */
function useDeepLink(): void {
  const { t } = useTranslation('comments');
  const [query] = useSearchParams();
  const wanted = query.get('comment');
  const view = useItems();
  const items = useAtomValue(itemsAtom);
  const places = useAtomValue(placesAtom);
  const openPane = useSetAtom(openPaneAtom);
  const goTo = useGoToItem();
  const notify = useNotify();
  const thread = wanted !== null && view ? threadWith(threadsOf(view.comment), wanted) : undefined;
  const ready = wanted !== null && places !== null && view?.ready === true;
  const found = thread !== undefined;
  const lead = useEffectEvent(() => {
    if (!thread) return;
    openPane('comments');
    goTo('comment', thread.root);
  });
  useEffect(() => {
    if (ready && found) lead();
  }, [ready, found, wanted]);
  const missing = useEffectEvent(() => notify({ type: 'info', message: t('notHere') }));
  // What this browser had kept may be older than the comment: only the server's word is the last one.
  const asked = items !== null && ready && !found;
  useEffect(() => {
    if (!asked || !items) return;
    const look = () => {
      const { state, ready: filled } = items.room('comment').read();
      if (!state.connected || !filled) return;
      stop();
      clearTimeout(timer);
      timer = setTimeout(() => missing(), 3_000);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = items.room('comment').subscribe(look);
    look();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [asked, items, wanted]);
}
