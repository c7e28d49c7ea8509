import { useEffect, useMemo } from 'react';
import type { Doc } from 'yjs';

import { useSession } from '../../session.ts';
import { Words } from './words.ts';
import { browserStore } from '../sound/kept.ts';
import { Listening } from './listening.ts';
import type { Player } from '../sound/player.ts';
import { keepPlace, keptPlace } from '../sound/resume.ts';
import { keptTypingChoice } from '../sound/typing-pause.ts';

/** Text and sound of a recording together, once its document is there. */
export function useListening(player: Player, doc: Doc | undefined): { words: Words; listening: Listening } | null {
  const made = useMemo(() => {
    if (!doc) return null;
    const words = new Words(doc);
    return { words, listening: new Listening(player, words, keptTypingChoice(browserStore)) };
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

/** So often a place is kept while it plays. */
const keepEvery = 5_000;

/** Goes on where the same person stopped in this browser. */
export function useKeptPlace(player: Player, meeting: string): void {
  const principal = useSession().data?.principal;
  const userId = principal && (principal.kind === 'user' ? String(principal.id) : 'anonymous');
  useEffect(() => {
    if (!player.medium || userId === undefined) return;
    const kept = keptPlace(browserStore, userId, meeting);
    if (kept !== null && player.ms === 0) player.seek(kept, 'quiet');
    let last = performance.now();
    const keep = () => {
      last = performance.now();
      // Where it only is because nothing was done yet is no place.
      if (player.ms > 0) keepPlace(browserStore, userId, meeting, player.ms, player.now().duration, Date.now());
    };
    const ends = [
      player.onTime(() => (!player.now().playing || performance.now() - last > keepEvery) && keep()),
      player.subscribe(keep),
    ];
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('pagehide', keep);
      for (const end of ends) end();
    };
  }, [player, userId, meeting]);
}
