import { useAtomValue } from 'jotai';
import { useEffect, useEffectEvent } from 'react';

import type { PageNews } from '#shared/page-news.ts';

import { ownLineAtom } from '../news/own-line.ts';

const gather = 200;
const soon = 1000;

/** Calls back when somebody joined or left one of the person's teams, or what the team is shown to be has changed. */
export function useGroupNews(onChange: () => void): void {
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
        // Reloads what was missed while disconnected; nothing was on the first connection.
        if (yes && (stood || performance.now() - began > soon)) look();
        stood ||= yes;
      },
      received: (said) => {
        const { kind } = said as PageNews;
        if (kind === 'groups' || kind === 'again') look();
      },
    });
    return () => {
      stop();
      clearTimeout(later);
    };
  }, [line]);
}
