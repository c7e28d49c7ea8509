import * as Y from 'yjs';
import type { RoomContext } from './context.ts';
import type { Inspected } from './inspect.ts';
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

  /** Tries an update on a copy: structures of several clients may hang on each other in a circle. */
  fits(update: Uint8Array): boolean {
    const copy = new Y.Doc();
    try {
      Y.applyUpdate(copy, Y.encodeStateAsUpdate(this.open()));
      for (const { inspected, update: earlier } of this.state.waiting) if (inspected) Y.applyUpdate(copy, earlier);
      Y.applyUpdate(copy, update);
      return !copy.store.pendingStructs && !copy.store.pendingDs;
    } catch {
      return false;
    } finally {
      copy.destroy();
    }
  }

  /** Whether everything an update deletes is deleted already. */
  knowsDeletions({ deletes }: Inspected): boolean {
    const { store } = this.open();
    for (const [client, ranges] of deletes) {
      const structs = store.clients.get(client) ?? [];
      for (const [clock, length] of ranges) {
        if (clock + length > (this.state.durable.get(client) ?? 0)) return false;
        for (let at = Y.findIndexSS(structs, clock); at < structs.length; at += 1) {
          const struct = structs[at];
          if (!struct || struct.id.clock >= clock + length) break;
          if (!struct.deleted) return false;
        }
      }
    }
    return true;
  }
}
