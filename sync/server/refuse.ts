import { close } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import { Refused, type Reason } from './inspect.ts';
import type { Peer } from './session.ts';

/** Closes a peer whose update is against the rules; throws any other error again. */
export function refuse(room: RoomContext, peer: Peer, error: unknown): void {
  if (!(error instanceof Refused)) throw error;
  logRefusal(room, peer, error.message, error.reason);
  peer.close(close.badFrame, error.message);
}

export function logRefusal({ world, name }: RoomContext, peer: Peer, why: string, reason: Reason): void {
  world.event('refused', { room: name, user: peer.userId, why, reason });
}

/** Sends a peer to come again, with its edits, as the database did not answer. */
export function notReady({ world, name, sessions }: RoomContext, peer: Peer, error: unknown): void {
  world.event('not ready', { room: name, why: String(error) });
  if (sessions.has(peer)) peer.close(close.restart, 'not ready');
}
