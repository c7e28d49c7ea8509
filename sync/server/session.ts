import type { Taking } from '#shared/roles.ts';

/** One socket, as its room sees it. */
export interface Peer {
  readonly id: string;
  /** The owner of what it writes; somebody who is not signed in has an id of their own. */
  readonly userId: string;
  readonly canWrite: boolean;
  /** Whether it may write to the words of a transcript alone. */
  readonly wordsOnly?: boolean;
  /** Whether it may be sent deleted text. */
  readonly history: boolean;
  /** Whether it asked to be told that (H3). */
  readonly asksHistory?: boolean;
  /** How the person takes part; decides who sees whom. */
  readonly taking?: Taking;
  /** Blind reviews whose veiled people it sees. */
  readonly oversees?: readonly string[];
  /** True for our own client; a stock one is never sent a message it does not know. */
  readonly wantsSaved: boolean;
  /** `upTo`: with this frame the peer has all rows up to that number. */
  send(frame: Uint8Array, upTo?: number): void;
  /** Sends bytes that many peers share; `without`: indexes of frames this peer wrote itself or has already. */
  sendShared(frames: SharedFrames, without?: ReadonlySet<number>): void;
  /** Whether an answer of so many bytes is within the peer's limits; closes the peer where it is not. */
  allows(answerBytes: number): boolean;
  /** Whether so much work is within the person's limits (G15); closes the peer where it is not. */
  affords?(work: number): boolean;
  close(code: number, reason: string): void;
}

/** Frames for many peers, sent all or none; each transport may keep its own rendering on it. */
export interface SharedFrames {
  readonly frames: readonly Uint8Array[];
  readonly upTo: number;
  /** True where the peer has everything up to `upTo` afterwards, whatever it had before. */
  readonly whole?: boolean;
  rendered?: unknown;
}

/** One update message of a peer. */
export interface Sent {
  peer: Peer;
  update: Uint8Array;
  /** Its number among the updates of its connection; acknowledgements count in these. */
  nth: number;
  /** Arrival time. */
  at: number;
}

interface SessionBase {
  readonly peer: Peer;
  /** How many updates have come. */
  received: number;
  /** Numbers of those that are not durable yet, the lowest first. */
  readonly notDurable: Set<number>;
}

/**
 * A peer's time in a room. Its updates are judged one after the other: in `ready` the next one is judged at once, in
 * `asking` it waits for `done`, as one before it waits for the database.
 */
export type Session = SessionBase & ({ readonly state: 'ready' } | { readonly state: 'asking'; done: Promise<void> });

export const openSession = (peer: Peer): Session => ({
  state: 'ready',
  peer,
  received: 0,
  notDurable: new Set(),
});

export const askingSession = ({ peer, received, notDurable }: Session, done: Promise<void>): Session => ({
  state: 'asking',
  done,
  peer,
  received,
  notDurable,
});

export const readySession = ({ peer, received, notDurable }: Session): Session => ({
  state: 'ready',
  peer,
  received,
  notDurable,
});

/** How many updates are durable without a gap: what `saved` tells the peer. */
export function savedCount({ received, notDurable }: Session): number {
  const [lowest = received + 1] = notDurable;
  return lowest - 1;
}
