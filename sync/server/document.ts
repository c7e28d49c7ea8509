import * as Y from 'yjs';
import { close } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import type { Inspected } from './inspect.ts';
import type { Peer } from './session.ts';
import { build } from './snapshot.ts';
import type { RoomState } from './state.ts';
import { buildUntangled, type Untangled } from './untangle.ts';

const keepMs = 30_000;

/** The document has reached its size: it can be read, and shortened. */
export class DocumentFull extends Error {
  override name = 'DocumentFull';
  constructor() {
    super('the document is full');
  }
}

/** The document built of a room's bytes. Exists only while somebody writes; holds what is in flight, too. */
export class RoomDocument {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private doc: Y.Doc | null = null;
  private timer: { cancel(): void } | null = null;
  /** Cheaper bytes for the rows up to `seq`; null in them where the rows themselves cost little to build. */
  private known: { seq: number; untangled: Untangled | null } | null = null;
  private asking: Promise<void> | null = null;

  constructor(room: RoomContext, state: RoomState) {
    this.room = room;
    this.state = state;
  }

  /** The document where it is built; null else. */
  get built(): Y.Doc | null {
    return this.doc;
  }

  /** Whether `open` takes no longer than a turn of the event loop may (G16). */
  get isReady(): boolean {
    return this.doc !== null || this.isCheap;
  }

  /** Resolves once `open` takes no longer than a turn of the event loop may; null where that is so. */
  prepare(): Promise<void> | null {
    return this.isReady ? null : this.ask();
  }

  /** As `prepare`, for one more document of what is stored. */
  prepareAnew(): Promise<void> | null {
    return this.isCheap ? null : this.ask();
  }

  /** A document of what is stored alone. */
  anew(): Y.Doc {
    return this.make([]);
  }

  /** Everything stored, in pieces that cost little to build where those are known; structures may name other neighbours. */
  get pieces(): Uint8Array[] {
    const later = this.later();
    return later ? [later.untangled.bytes, ...later.updates] : this.state.pieces();
  }

  private get isCheap(): boolean {
    const { state, known } = this;
    const { inlineStructs } = this.room.limits;
    return state.structs <= inlineStructs || ((known && state.after(known.seq)?.structs) ?? Infinity) <= inlineStructs;
  }

  /** Bytes that cost less than those stored, and the updates behind them. */
  private later(): { untangled: Untangled; updates: Uint8Array[] } | null {
    const { known } = this;
    const after = known?.untangled && this.state.after(known.seq);
    return known?.untangled && after ? { untangled: known.untangled, updates: after.updates } : null;
  }

  private make(inFlight: readonly Uint8Array[]): Y.Doc {
    const later = this.later();
    if (!later) return build([...this.state.pieces(), ...inFlight]);
    return buildUntangled(later.untangled, [...later.updates, ...inFlight]);
  }

  /** Has a thread look at what is stored. */
  private ask(): Promise<void> {
    const begin = async () => {
      const { seq } = this.state;
      try {
        this.known = { seq, untangled: await this.room.world.untangled(this.state.pieces()) };
      } catch (error) {
        this.room.drop('it takes too long to build', close.restart);
        throw error;
      } finally {
        this.asking = null;
      }
    };
    return (this.asking ??= begin());
  }

  /** The document, built where it is not yet. */
  open(): Y.Doc {
    if (!this.doc) {
      try {
        this.doc = this.make(this.state.inFlight.flatMap(({ inspected, update }) => (inspected ? [update] : [])));
      } catch (error) {
        this.room.dropUnbuildable('what is stored makes no document');
        throw error;
      }
    }
    this.timer?.cancel();
    this.timer = this.room.world.later(keepMs, () => this.forget());
    return this.doc;
  }

  forget(): void {
    this.timer?.cancel();
    this.timer = null;
    this.doc?.destroy();
    this.doc = null;
    // Unstored writes of the server were nowhere else: they are applied again.
    for (const entry of this.state.waiting) entry.applied = false;
  }

  /** Whether everything an update deletes is deleted already. Each structure is looked at once, and counted (G15). */
  knowsDeletions({ deletes }: Inspected, peer: Peer): boolean {
    const { store } = this.open();
    let looked = 0;
    const allDeleted = (structs: readonly (Y.Item | Y.GC)[], from: number, to: number): boolean => {
      for (let at = Y.findIndexSS(structs as (Y.Item | Y.GC)[], from); at < structs.length; at += 1) {
        const struct = structs[at];
        if (!struct || struct.id.clock >= to) break;
        looked += 1;
        if (!struct.deleted) return false;
      }
      return true;
    };
    const known = [...deletes].every(([client, ranges]) => {
      const structs = store.clients.get(client) ?? [];
      let upTo = 0;
      return ranges
        .toSorted(([a], [b]) => a - b)
        .every(([clock, length]) => {
          const from = Math.max(clock, upTo);
          upTo = Math.max(upTo, clock + length);
          if (upTo > (this.state.durable.get(client) ?? 0)) return false;
          return from >= upTo || allDeleted(structs, from, upTo);
        });
    });
    peer.affords?.(looked);
    return known;
  }
}
