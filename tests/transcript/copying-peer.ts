import * as Y from 'yjs';
import { newId } from '#shared/ids.ts';
import type { Scope } from '#shared/meetings/transcript.ts';
import type { Model, Peer, Place, Shown } from './peer.ts';

/**
 * The usual design, to compare with: every segment is a text of its own; a split or merge copies what moves into another.
 */
class CopyingPeer implements Peer {
  readonly doc = new Y.Doc();
  readonly composing = false;
  private readonly list: Y.Array<Y.Map<unknown>>;
  private readonly undoManager: Y.UndoManager;

  constructor(clientId: number, start: Uint8Array) {
    this.doc.clientID = clientId;
    Y.applyUpdate(this.doc, start);
    this.list = this.doc.getArray('segments');
    this.undoManager = new Y.UndoManager(this.list, { trackedOrigins: new Set([this]), captureTimeout: 0 });
  }

  private text(segment: number): Y.Text {
    return this.list.get(segment).get('text') as Y.Text;
  }

  private write(work: () => void): void {
    this.doc.transact(work, this);
  }

  shown(): Shown[] {
    return this.list.map((map) => ({
      id: map.get('id') as string,
      speaker: map.get('speaker') as string,
      text: (map.get('text') as Y.Text).toString(),
    }));
  }

  type({ segment, offset }: Place, text: string): void {
    this.write(() => this.text(segment).insert(offset, text));
  }

  erase(from: Place, to: Place): void {
    this.write(() => {
      if (from.segment === to.segment) {
        this.text(from.segment).delete(from.offset, to.offset - from.offset);
        return;
      }
      const rest = this.text(to.segment).toString().slice(to.offset);
      const first = this.text(from.segment);
      first.delete(from.offset, first.length - from.offset);
      first.insert(from.offset, rest);
      this.list.delete(from.segment + 1, to.segment - from.segment);
    });
  }

  typeOver(from: Place, to: Place, text: string): void {
    this.write(() => {
      this.erase(from, to);
      this.type(from, text);
    });
  }

  split({ segment, offset }: Place): void {
    this.write(() => {
      const text = this.text(segment);
      const tail = text.toString().slice(offset);
      text.delete(offset, tail.length);
      this.list.insert(segment + 1, [segmentMap(newId(), this.list.get(segment).get('speaker') as string, tail)]);
    });
  }

  merge(segment: number): void {
    this.write(() => {
      const before = this.text(segment - 1);
      before.insert(before.length, ` ${this.text(segment).toString()}`);
      this.list.delete(segment, 1);
    });
  }

  paste(from: Place, to: Place, paragraphs: string[]): void {
    this.write(() => {
      this.erase(from, to);
      let at = from;
      paragraphs.forEach((text, index) => {
        if (index > 0) {
          this.split(at);
          at = { segment: at.segment + 1, offset: 0 };
        }
        this.type(at, text);
        at = { ...at, offset: at.offset + text.length };
      });
    });
  }

  replaceAll(found: { at: Place; length: number; text: string }[]): void {
    this.write(() => {
      for (const { at, length, text } of found.toReversed()) {
        this.text(at.segment).delete(at.offset, length);
        this.text(at.segment).insert(at.offset, text);
      }
    });
  }

  speak(segment: number, _scope: Scope, speaker: string): void {
    this.write(() => this.list.get(segment).set('speaker', speaker));
  }

  undo(): void {
    this.undoManager.undo();
  }

  redo(): void {
    this.undoManager.redo();
  }

  compose(): void {}

  composed(): void {}

  wrong(): null {
    return null;
  }

  truth(): string {
    return JSON.stringify(this.list.toJSON());
  }
}

function segmentMap(id: string, speaker: string, text: string): Y.Map<unknown> {
  return new Y.Map<unknown>([
    ['id', id],
    ['speaker', speaker],
    ['text', new Y.Text(text)],
  ]);
}

export const copying: Model = {
  start(segments) {
    const doc = new Y.Doc();
    doc.getArray('segments').push(segments.map(({ id, speaker, text }) => segmentMap(id ?? '', speaker, text)));
    return Y.encodeStateAsUpdate(doc);
  },
  peer: (clientId, start) => new CopyingPeer(clientId, start),
};
