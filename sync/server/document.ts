import * as Y from 'yjs';
import type { RoomContext } from './context.ts';
import type { Inspected } from './inspect.ts';
import type { Peer } from './session.ts';
import { build } from './snapshot.ts';
import type { RoomState } from './state.ts';

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

  constructor(room: RoomContext, state: RoomState) {
    this.room = room;
    this.state = state;
  }

  /** The document where it is built; null else. */
  get built(): Y.Doc | null {
    return this.doc;
  }

  /** The document, built where it is not yet. */
  open(): Y.Doc {
    if (!this.doc) {
      try {
        const inFlight = this.state.inFlight.flatMap(({ inspected, update }) => (inspected ? [update] : []));
        this.doc = build([...this.state.pieces(), ...inFlight]);
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
