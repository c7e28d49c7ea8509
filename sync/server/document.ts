import * as Y from 'yjs';
import { close } from '../protocol.ts';
import type { RoomContext } from './context.ts';
import type { Inspected } from './inspect.ts';
import { addInTurns, buildInTurns, type Cheap } from './in-turns.ts';
import type { Peer } from './session.ts';
import { addTo, build } from './snapshot.ts';
import type { RoomState } from './state.ts';
import { NotStored } from './storing.ts';

const keepMs = 30_000;

/** The document has reached its size: it can be read, and shortened. */
export class DocumentFull extends Error {
  override name = 'DocumentFull';
  constructor() {
    super('the document is full');
  }
}

/** A document of everything stored up to row `seq`. */
interface Built {
  seq: number;
  doc: Y.Doc;
}

/** The document built of a room's bytes. Exists only while somebody writes; holds what is in flight, too. */
export class RoomDocument {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private doc: Y.Doc | null = null;
  private timer: { cancel(): void } | null = null;
  /** Parts for the rows up to `seq` that cost little to build. */
  private known: (Cheap & { seq: number }) | null = null;
  /** Built in turns for the next one to need a document. */
  private ready: Built | null = null;
  private asking: Promise<void> | null = null;
  private building: Promise<void> | null = null;

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
    return this.doc !== null || this.isReadyAnew;
  }

  /** Resolves once `open` takes no longer than a turn of the event loop may; null where that is so, or the room is gone. */
  prepare(): Promise<void> | null {
    return this.isReady || this.room.dropped ? null : this.makeReady();
  }

  /** As `prepare`, for one more document of what is stored. */
  prepareAnew(): Promise<void> | null {
    return this.isReadyAnew || this.room.dropped ? null : this.makeReady();
  }

  /** As `prepare`, for `pieces`. */
  preparePieces(): Promise<void> | null {
    return this.isSmall || this.hasFewBehind(this.known) || this.room.dropped ? null : this.ask();
  }

  /** A document of what is stored alone. */
  anew(): Y.Doc {
    return this.make([]);
  }

  /** Everything stored, in pieces that cost little to build where those are known; structures may name other neighbours. */
  get pieces(): Uint8Array[] {
    const { known, state } = this;
    const after = known?.untangled && state.after(known.seq);
    return known?.untangled && after ? [known.untangled.bytes, ...after.updates] : state.pieces();
  }

  private get isReadyAnew(): boolean {
    return this.isSmall || this.hasFewBehind(this.ready);
  }

  /** Whether all that is stored is little enough to be built at once. */
  private get isSmall(): boolean {
    return this.state.structs <= this.room.limits.inlineStructs;
  }

  /** The same of what is stored behind a row. */
  private hasFewBehind(row: { seq: number } | null): boolean {
    return ((row && this.state.after(row.seq)?.structs) ?? Infinity) <= this.room.limits.inlineStructs;
  }

  private make(inFlight: readonly Uint8Array[]): Y.Doc {
    const { ready } = this;
    const after = ready && this.state.after(ready.seq);
    this.ready = null;
    if (!after) {
      ready?.doc.destroy();
      return build([...this.state.pieces(), ...inFlight]);
    }
    try {
      const later = [...after.updates, ...inFlight];
      if (later.length > 0) addTo(ready.doc, later);
      return ready.doc;
    } catch (error) {
      ready.doc.destroy();
      throw error;
    }
  }

  /** Has a thread look at what is stored. */
  private ask(): Promise<void> {
    const begin = async () => {
      const { seq } = this.state;
      try {
        this.known = { seq, ...(await this.room.world.cheap(this.state.pieces())) };
      } catch (error) {
        this.room.drop('it takes too long to build', close.restart);
        throw error;
      } finally {
        this.asking = null;
      }
    };
    return (this.asking ??= begin());
  }

  private makeReady(): Promise<void> {
    this.building ??= this.buildReady().finally(() => (this.building = null));
    return this.building;
  }

  private async buildReady(): Promise<void> {
    const { room, state } = this;
    for (let wait = this.preparePieces(); wait; wait = this.preparePieces()) await wait;
    const { known } = this;
    if (!known || room.dropped) return;
    const pause = async () => {
      await room.world.pause(room.name);
      if (room.dropped) throw new NotStored('the room is gone');
    };
    try {
      const doc = await buildInTurns(known, pause);
      // Rows of other processes may have come meanwhile.
      let { seq } = known;
      for (let after = state.after(seq); after && after.structs > room.limits.inlineStructs; after = state.after(seq)) {
        const upTo = state.seq;
        await addInTurns(doc, after.updates, pause);
        seq = upTo;
      }
      this.ready?.doc.destroy();
      this.ready = { seq, doc };
      this.keep();
    } catch (error) {
      if (room.dropped) return;
      room.dropUnbuildable('what is stored makes no document');
      throw error;
    }
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
    this.keep();
    return this.doc;
  }

  private keep(): void {
    this.timer?.cancel();
    this.timer = this.room.world.later(keepMs, () => this.forget());
  }

  forget(): void {
    this.timer?.cancel();
    this.timer = null;
    this.doc?.destroy();
    this.doc = null;
    this.ready?.doc.destroy();
    this.ready = null;
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
