import type * as Y from 'yjs';
import type { RoomContext } from './context.ts';
import type { RoomDocument } from './document.ts';
import type { RoomState } from './state.ts';
import { NotStored } from './storing.ts';

/** Reads of the document, each at a moment when all of it is durable (R8). */
export class Reads {
  private readonly room: RoomContext;
  private readonly state: RoomState;
  private readonly document: RoomDocument;
  private waiting: (() => void)[] = [];

  constructor(room: RoomContext, state: RoomState, document: RoomDocument) {
    this.room = room;
    this.state = state;
    this.document = document;
  }

  /** Changes by `work` are thrown away. */
  read<T>(work: (doc: Y.Doc) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const now = () => {
        const wait = this.isApart ? this.document.prepareAnew() : this.document.prepare();
        if (wait) return void wait.then(whenStored, reject);
        try {
          resolve(this.readNow(work));
        } catch (error) {
          reject(error);
        }
      };
      const whenStored = () => {
        if (this.state.committing) this.waiting.push(now);
        else now();
      };
      whenStored();
    });
  }

  /** Runs the reads that waited for the batch that was stored now. */
  serve(): void {
    for (const read of this.waiting.splice(0)) read();
  }

  /** Unstored writes of the server are in the room's own document, and must not be read. */
  private get isApart(): boolean {
    return this.state.hasUnstoredServerWrites;
  }

  private readNow<T>(work: (doc: Y.Doc) => T): T {
    if (this.room.dropped) throw new NotStored('the room is gone');
    const apart = this.isApart;
    const doc = apart ? this.document.anew() : this.document.open();
    let changed = false;
    const notice = () => (changed = true);
    doc.on('update', notice);
    try {
      const result = work(doc);
      if (changed) throw new Error('reading may not write');
      return result;
    } finally {
      doc.off('update', notice);
      if (apart) doc.destroy();
      else if (changed) this.document.forget();
    }
  }
}
