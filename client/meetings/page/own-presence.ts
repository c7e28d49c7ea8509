import type { Awareness } from 'y-protocols/awareness';
import type * as Y from 'yjs';
import { setPresence, type OwnPresence } from '#sync/client/presence.ts';

import type { Player } from '../sound/player.ts';

/** Somebody types until they have not for so long. */
const typingFor = 1500;
/** The place of the sound is told no more often: the line is for words. */
const placeEvery = 500;

/** Tells the others what this page's person does, until the answer is called. */
export function tellOwn(doc: Y.Doc, awareness: Awareness, player: Player): () => void {
  let typing: ReturnType<typeof setTimeout> | undefined;
  let place: ReturnType<typeof setTimeout> | undefined;
  const say = (news: OwnPresence) => {
    // Who has left says nothing more.
    if (awareness.getLocalState() !== null) setPresence(awareness, news);
  };
  const changed = (transaction: Y.Transaction) => {
    if (!transaction.local || transaction.changed.size === 0) return;
    clearTimeout(typing);
    typing = setTimeout(() => say({ typing: false }), typingFor);
    say({ typing: true });
  };
  const sayPlace = () => {
    place = undefined;
    say({ at: Math.round(player.ms / 100) / 10, listening: player.now().playing });
  };
  // The last word is never lost: what is not told now is told when its time has come.
  const moved = () => {
    place ??= setTimeout(sayPlace, placeEvery);
  };
  doc.on('afterTransaction', changed);
  const ends = [player.onTime(moved), player.subscribe(moved)];
  sayPlace();
  return () => {
    doc.off('afterTransaction', changed);
    for (const end of ends) end();
    clearTimeout(typing);
    clearTimeout(place);
    say({ typing: false, listening: false });
  };
}
