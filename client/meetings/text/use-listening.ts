import { useEffect, useMemo } from 'react';
import type { Doc } from 'yjs';

import { useSession } from '../../session.ts';
import { Words } from './words.ts';
import { browserStore } from '../sound/browser-store.ts';
import { Listening } from './listening.ts';
import type { Player } from '../sound/player.ts';
import { storePosition, storedPosition } from '../sound/resume.ts';
import { storedTypingChoice } from '../sound/typing-pause.ts';

/** Text and sound of a recording, once its document is loaded. */
export function useListening(player: Player, doc: Doc | undefined): { words: Words; listening: Listening } | null {
  const made = useMemo(() => {
    if (!doc) return null;
    const words = new Words(doc);
    return { words, listening: new Listening(player, words, storedTypingChoice(browserStore)) };
  }, [player, doc]);
  useEffect(() => {
    if (!made) return;
    const ends = [made.words.open(), made.listening.open()];
    return () => {
      for (const end of ends) end();
    };
  }, [made]);
  return made;
}

/** Interval for storing the position during playback, in ms. */
const storeEvery = 5_000;

/** Continues where the same person stopped in this browser. */
export function useStoredPosition(player: Player, meeting: string): void {
  const principal = useSession().data?.principal;
  const userId = principal && (principal.kind === 'user' ? String(principal.id) : 'anonymous');
  useEffect(() => {
    if (!player.medium || userId === undefined) return;
    const stored = storedPosition(browserStore, userId, meeting);
    if (stored !== null && player.ms === 0) player.seek(stored, 'quiet');
    let last = performance.now();
    const store = () => {
      last = performance.now();
      // Position 0 before the first playback is not worth storing.
      if (player.ms > 0) storePosition(browserStore, userId, meeting, player.ms, player.now().duration, Date.now());
    };
    const ends = [
      player.onTime(() => (!player.now().playing || performance.now() - last > storeEvery) && store()),
      player.subscribe(store),
    ];
    window.addEventListener('pagehide', store);
    return () => {
      window.removeEventListener('pagehide', store);
      for (const end of ends) end();
    };
  }, [player, userId, meeting]);
}
