import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';

import type { PageNews } from '#shared/page-news.ts';

import { ownLineAtom } from './own-line.ts';

/** Milliseconds for which news is gathered: one action may cause several, and a reload for each would abort the last. */
const gather = 200;
/** Milliseconds after which a first connection may have missed something. */
const soon = 1000;

/** Calls back for news that concerns the page, or when some may have been missed; true while the server can tell so. */
export function useNews(concerns: (news: PageNews) => boolean, onNews: () => void): boolean {
  const [connected, setConnected] = useState(false);
  const line = useAtomValue(ownLineAtom);
  const hear = useEffectEvent((news: PageNews) => {
    if (news.kind === 'again' || concerns(news)) onNews();
  });
  useEffect(() => line.subscribe({ connected: setConnected, received: (news) => hear(news as PageNews) }), [line]);
  return connected;
}

/** Calls back once for several changes of what a page lists, and for those that were missed while it was disconnected. */
export function useListNews(kind: 'groups' | 'library', onChange: () => void): void {
  const line = useAtomValue(ownLineAtom);
  const changed = useEffectEvent(onChange);
  useEffect(() => {
    let later: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      later ??= setTimeout(() => {
        later = undefined;
        changed();
      }, gather);
    };
    const began = performance.now();
    let stood = false;
    const stop = line.subscribe({
      connected: (yes) => {
        // Nothing was missed on the first connection.
        if (yes && (stood || performance.now() - began > soon)) look();
        stood ||= yes;
      },
      received: (said) => {
        const { kind: heard } = said as PageNews;
        if (heard === kind || heard === 'again') look();
      },
    });
    return () => {
      stop();
      clearTimeout(later);
    };
  }, [line, kind]);
}
