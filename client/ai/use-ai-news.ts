import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent, useState } from 'react';

import type { PageNews } from '#shared/page-news.ts';

import { ownLineAtom } from '../news/own-line.ts';

/** Milliseconds between two looks at work of an assistant; the server tells of it by itself while it is connected. */
export const lookEvery = (connected: boolean): number => (connected ? 15_000 : 1500);

/** Calls back when the person's own runs have changed; true while the server can tell so. */
export function useAiNews(changed: () => void): boolean {
  const [connected, setConnected] = useState(false);
  const lookAgain = useEffectEvent(changed);
  const line = useAtomValue(ownLineAtom);
  useEffect(
    () =>
      line.subscribe({
        connected: setConnected,
        received: (said) => {
          const { kind } = said as PageNews;
          if (kind === 'ai' || kind === 'again') lookAgain();
        },
      }),
    [line],
  );
  return connected;
}
