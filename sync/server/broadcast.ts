import { writeFrame } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import { savedCount, type Peer, type SharedFrames } from './session.ts';
import type { Entry } from './state.ts';

/** Sends stored entries to every peer but their senders, and tells the senders what is durable. */
export function broadcast(room: RoomContext, entries: readonly Entry[], upTo: number): void {
  const { world, sessions } = room;
  const changes = entries.filter((entry) => entry.inspected);
  const frames = changes.map(({ update }) => writeFrame({ kind: 'update', update }));
  const shared: SharedFrames = { frames, upTo };
  const framesOf = new Map<Peer, Set<number>>();
  const now = world.now().getTime();
  for (const { peer, nth, at } of entries) {
    if (!peer) continue;
    if (at !== undefined) world.saved?.(now - at);
    if (!framesOf.has(peer)) framesOf.set(peer, new Set());
    sessions.get(peer)?.notDurable.delete(nth);
  }
  for (const [i, { peer }] of changes.entries()) if (peer) framesOf.get(peer)?.add(i);
  for (const session of sessions.values()) {
    const { peer } = session;
    const own = framesOf.get(peer);
    if (frames.length > (own?.size ?? 0) && !room.waits(peer)) peer.sendShared(shared, own);
    if (own && peer.wantsSaved) peer.send(writeFrame({ kind: 'saved', count: savedCount(session) }));
  }
}

/** Tells a sender that an update is durable as nothing of it is new, and nothing is on its way to the disk (L5). */
export function acknowledge({ sessions }: RoomContext, { peer, nth }: Entry): void {
  const session = peer && sessions.get(peer);
  if (!session) return;
  session.notDurable.delete(nth);
  if (peer.wantsSaved) peer.send(writeFrame({ kind: 'saved', count: savedCount(session) }));
}
