import type { DamagedLog } from '#db/updates.ts';
import type { Part } from '#shared/meetings/parts.ts';
import type { Limits } from '../protocol.ts';
import type { Log } from './log.ts';
import type { Peer, Session } from './session.ts';
import type { Untangled } from './untangle.ts';

/**
 * How a client id is claimed. `written`: for good, as somebody writes under it. `seen`: for good, as somebody is shown
 * under it; counts against half of a person's ids, so that opening pages never uses up what writing needs. `look`: only
 * asks for the owner.
 */
export type Claim = 'written' | 'seen' | 'look';

/** The outside of a room: database, clock, timers, other processes. The simulation has one of its own. */
export interface RoomWorld {
  log: Log;
  /** Rows of the log after `from`, up to `to`. */
  rows(name: string, generation: number, from: number, to: number): Promise<{ seq: number; bytes: Uint8Array }[]>;
  /** The number of the last row in the log. */
  lastSeq(name: string): Promise<number>;
  /** The owner of a client id after the claim: the first who claimed it. */
  claim(name: string, generation: number, clientId: number, userId: string, how: Claim): Promise<string | null>;
  /** Makes one piece of many, proves it by loading it afresh, and stores it; null when the proof failed. */
  storeSnapshot(
    name: string,
    generation: number,
    seq: number,
    pieces: readonly Uint8Array[],
  ): Promise<Uint8Array | null>;
  /** Makes one piece of many, without deleted content. */
  cleanState(pieces: readonly Uint8Array[]): Promise<Uint8Array>;
  /** The same document in bytes that cost little to build; null where these do (G16). */
  untangled(pieces: readonly Uint8Array[]): Promise<Untangled | null>;
  /** Sends a row that is durable to the other processes. */
  publish(name: string, generation: number, seq: number, bytes: Uint8Array): void;
  /** Measures how long an edit of a peer took to become durable. */
  saved?(ms: number): void;
  limits?: Limits;
  now(): Date;
  /** Runs `work` once everything that has arrived by now is read, so that rooms do it in one go. */
  soon(work: () => void): void;
  later(ms: number, work: () => void): { cancel(): void };
  event(name: string, fields: Record<string, unknown>): void;
}

/** A room as its own parts see it. */
export interface RoomContext {
  readonly name: string;
  readonly part: Part;
  readonly generation: number;
  /** First damage in the log: rows before it can be read, and nothing can be written. */
  readonly damage: DamagedLog | null;
  readonly world: RoomWorld;
  readonly limits: Limits;
  readonly sessions: ReadonlyMap<Peer, Session>;
  /** True once the room was thrown away: nobody may use it any more. */
  readonly dropped: boolean;
  /** Whether a peer waits for its answer, which will hold all that is passed on until then. */
  waits(peer: Peer): boolean;
  drop(why: string, code: number): void;
  /** Drops a room whose stored bytes make no document; they are examined before it is opened again. */
  dropUnbuildable(why: string): void;
}
