import { close } from '../protocol.ts';
import { Unbuildable } from './compact.ts';
import type { RoomContext } from './context.ts';
import { content } from './inspect.ts';
import type { Peer } from './session.ts';
import { emptyUpdate, type RoomState } from './state.ts';

/** A state of the document, up to that row of the log. */
export interface Base {
  bytes: Uint8Array;
  seq: number;
}

type Answer = (base: Base) => void;

/** Peers that wait longer are sent to come again. */
const longestWait = 10_000;
/** Content that takes no other's place: text that is typed. Values replace each other. */
const typed = (1 << content.gc) | (1 << content.deleted) | (1 << content.string) | (1 << content.embed);

/**
 * States without deleted text, for peers that may not see it (H1). The stored snapshot is one, as Yjs drops deleted
 * content when it builds a document, and so is any state as long as nothing behind it deletes. Another is made beside
 * the event loop, once for all who ask meanwhile.
 */
export class CleanStates {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private made: Base | null = null;
  private making = false;
  /** The task in the thread; peers that come back while it is late join it. */
  private running: Promise<Base> | null = null;
  private readonly waiting = new Map<Peer, Answer[]>();

  constructor(room: RoomContext, state: RoomState) {
    this.room = room;
    this.state = state;
  }

  /** The last clean state, if nothing was deleted behind it; else null. */
  now(): Base | null {
    const base = this.last();
    return this.onlyAdds(base.seq) ? base : null;
  }

  /** Whether no row behind this one deletes or replaces anything. */
  onlyAdds(seq: number): boolean {
    return this.state.tail.every(
      (one) => one.seq <= seq || (one.inspected.deleted === 0 && (one.inspected.kinds & ~typed) === 0),
    );
  }

  /** Whether a peer waits: all that is passed on until then will be in its answer. */
  waits(peer: Peer): boolean {
    return this.waiting.has(peer);
  }

  /** Answers a peer with a state that was clean when it asked. */
  whenMade(peer: Peer, answer: Answer): void {
    this.waiting.set(peer, [...(this.waiting.get(peer) ?? []), answer]);
    if (!this.making) void this.make();
  }

  drop(peer: Peer): void {
    this.waiting.delete(peer);
  }

  forget(): void {
    this.made = null;
  }

  /** The last clean state, whatever came behind it. */
  last(): Base {
    const { snapshot, snapshotSeq } = this.state;
    // Rows before the snapshot are in no list any more.
    if (this.made && this.made.seq >= snapshotSeq) return this.made;
    return { bytes: snapshot ?? emptyUpdate, seq: snapshotSeq };
  }

  private async make(): Promise<void> {
    const { room, state, waiting } = this;
    this.making = true;
    try {
      while (waiting.size > 0 && !room.dropped) {
        const asked = [...waiting].map(([peer, answers]) => [peer, [...answers]] as const);
        const { seq } = state;
        const base = await this.soonEnough(this.build());
        if (room.dropped) break;
        // A task begun before they asked may lack a deletion of before: then another follows.
        if (base.seq >= seq) for (const [peer, answers] of asked) this.serve(peer, answers);
        // Others may have asked meanwhile, and nothing was deleted since.
        if (this.now()) for (const [peer, answers] of [...waiting]) this.serve(peer, answers);
      }
    } catch (error) {
      if (error instanceof Unbuildable) return room.dropUnbuildable('what is stored makes no document');
      room.world.event('no clean state', { room: room.name, why: String(error) });
      for (const peer of waiting.keys()) if (room.sessions.has(peer)) peer.close(close.restart, 'not ready');
    } finally {
      waiting.clear();
      this.making = false;
    }
  }

  private build(): Promise<Base> {
    const { seq } = this.state;
    const begin = async (): Promise<Base> => {
      try {
        return (this.made = { bytes: await this.room.world.cleanState(this.state.pieces()), seq });
      } finally {
        this.running = null;
      }
    };
    this.running ??= begin();
    // Nobody may wait for it any more.
    this.running.catch(() => undefined);
    return this.running;
  }

  private soonEnough<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = this.room.world.later(longestWait, () => reject(new Error('a clean state took too long')));
      work.then(resolve, reject).finally(() => late.cancel());
    });
  }

  private serve(peer: Peer, answers: readonly Answer[]): void {
    if (this.room.sessions.has(peer)) for (const answer of answers) answer(this.last());
    // A peer may have asked again meanwhile.
    const later = this.waiting.get(peer)?.slice(answers.length) ?? [];
    if (later.length > 0) this.waiting.set(peer, later);
    else this.waiting.delete(peer);
  }
}
