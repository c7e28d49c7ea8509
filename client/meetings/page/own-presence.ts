import type { Awareness } from 'y-protocols/awareness';
import type * as Y from 'yjs';
import { setPresence, type OwnPresence } from '#sync/client/presence.ts';

import type { Player } from '../sound/player.ts';

/** Time in milliseconds after the last keystroke until a person no longer counts as typing. */
const typingFor = 1500;
/** Interval of position updates in milliseconds, to keep the connection free for edits. */
const placeEvery = 500;
/** The same after a jump: followers hear what this person hears. */
const jumpEvery = 200;
/** Milliseconds off the position that followers reckon, from which it is a jump. */
const jump = 100;

/** Shares this person's activity with everyone present; returns a function that stops. */
export function tellOwn(doc: Y.Doc, awareness: Awareness, player: Player): () => void {
  let typing: ReturnType<typeof setTimeout> | undefined;
  let positionTimer: ReturnType<typeof setTimeout> | undefined;
  let due = Infinity;
  let told = { ms: 0, rate: 0, at: 0 };
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
    clearTimeout(positionTimer);
    due = Infinity;
    const { ms } = player;
    const { playing, rate } = player.now();
    // A player that waits for data stands still.
    const still = playing && ms === told.ms;
    told = { ms, rate: still ? 0 : playing ? rate : 0, at: performance.now() };
    publish({ at: Math.round(ms) / 1000, listening: playing, rate: still ? 0 : rate });
  };
  // Trailing throttle: the last position is always sent.
  const publishWithin = (wait: number) => {
    const at = performance.now() + wait;
    if (at >= due) return;
    clearTimeout(positionTimer);
    due = at;
    positionTimer = setTimeout(publishPosition, wait);
  };
  const moved = (ms: number) => {
    const { playing } = player.now();
    if (playing && told.rate === 0 && ms !== told.ms) return publishPosition();
    const reckoned = told.ms + (performance.now() - told.at) * told.rate;
    publishWithin(Math.abs(ms - reckoned) > jump ? jumpEvery : placeEvery);
  };
  let { playing, rate } = player.now();
  const stateChanged = () => {
    const now = player.now();
    if (now.playing === playing && now.rate === rate) return;
    ({ playing, rate } = now);
    publishPosition();
  };
  doc.on('afterTransaction', changed);
  const ends = [player.onTime(moved), player.subscribe(stateChanged)];
  publishPosition();
  return () => {
    doc.off('afterTransaction', changed);
    for (const end of ends) end();
    clearTimeout(typing);
    clearTimeout(positionTimer);
    publish({ typing: false, listening: false });
  };
}
