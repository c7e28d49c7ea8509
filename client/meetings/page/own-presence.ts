import type { Awareness } from 'y-protocols/awareness';
import type * as Y from 'yjs';
import { setPresence, type OwnPresence } from '#sync/client/presence.ts';

import type { Player } from '../sound/player.ts';

/** Time in milliseconds after the last keystroke until a person no longer counts as typing. */
const typingFor = 1500;
/** Interval of position updates in milliseconds, to keep the connection free for edits. */
const placeEvery = 500;

/** Shares this person's activity with everyone present; returns a function that stops. */
export function tellOwn(doc: Y.Doc, awareness: Awareness, player: Player): () => void {
  let typing: ReturnType<typeof setTimeout> | undefined;
  let positionTimer: ReturnType<typeof setTimeout> | undefined;
  const publish = (changes: OwnPresence) => {
    // Left the room already: setting a field would announce this person again.
    if (awareness.getLocalState() !== null) setPresence(awareness, changes);
  };
  const changed = (transaction: Y.Transaction) => {
    if (!transaction.local || transaction.changed.size === 0) return;
    clearTimeout(typing);
    typing = setTimeout(() => publish({ typing: false }), typingFor);
    publish({ typing: true });
  };
  const publishPosition = () => {
    positionTimer = undefined;
    publish({ at: Math.round(player.ms / 100) / 10, listening: player.now().playing });
  };
  // Trailing throttle: the last position is always sent.
  const moved = () => {
    positionTimer ??= setTimeout(publishPosition, placeEvery);
  };
  doc.on('afterTransaction', changed);
  const ends = [player.onTime(moved), player.subscribe(moved)];
  publishPosition();
  return () => {
    doc.off('afterTransaction', changed);
    for (const end of ends) end();
    clearTimeout(typing);
    clearTimeout(positionTimer);
    publish({ typing: false, listening: false });
  };
}
