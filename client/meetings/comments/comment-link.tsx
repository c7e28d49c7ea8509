import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';

import { useNotify } from '../../store.ts';
import { itemsAtom, placesAtom, useItems } from '../items/open-items.ts';
import { threadsOf, threadWith } from '../items/threads.ts';
import { useGoToItem } from '../items/use-go-to-item.ts';
import { openPaneAtom } from '../open-pane.ts';

/** `?comment=<id>`: opens the pane at that comment, once it is there. */
export function CommentLink() {
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
  return null;
}
