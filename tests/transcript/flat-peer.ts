import { getSchema } from '@tiptap/core';
import { EditorState, TextSelection, type Command, type Transaction } from '@tiptap/pm/state';
import * as Y from 'yjs';
import { TranscriptBinding } from '#client/meetings/text/binding.ts';
import {
  insertParagraphs,
  mergeBackward,
  mergeForward,
  putParagraphs,
  splitSegment,
} from '#client/meetings/text/commands.ts';
import { idOf, nodes, render, speakerOf } from '#client/meetings/text/schema.ts';
import { insertTag } from '#client/meetings/text/sentence-keys.ts';
import { readSegments, replaceRanges, segmentsOf, textOf, type Scope } from '#shared/meetings/transcript.ts';
import type { Model, Peer, Place, Shown } from './peer.ts';

const schema = getSchema(nodes);

/** A person with the editor as in the browser, down to its transactions, but without a screen. */
export class FlatPeer implements Peer {
  readonly doc = new Y.Doc();
  readonly binding: TranscriptBinding;
  state: EditorState;
  composing = false;

  /** `pause`: the longest within one step of typing; at 0 each edit is a step. */
  constructor(clientId: number, start: Uint8Array, pause = 0) {
    this.doc.clientID = clientId;
    Y.applyUpdate(this.doc, start);
    this.binding = new TranscriptBinding(this.doc, { check: () => false });
    this.binding.undoManager.captureTimeout = pause;
    const plugins = [this.binding.plugin()];
    this.state = EditorState.create({ doc: render(schema, readSegments(this.doc)), plugins });
    this.binding.attach(this);
  }

  dispatch(tr: Transaction): void {
    this.state = this.state.apply(tr);
    this.binding.write();
  }

  shown(): Shown[] {
    return Array.from({ length: this.state.doc.childCount }, (_, index) => {
      const node = this.state.doc.child(index);
      return { id: idOf(node), speaker: speakerOf(node), text: node.textContent };
    });
  }

  wrong(): string | null {
    if (this.binding.repairs > 0) return 'the document had to be drawn anew';
    if (this.binding.holding) return null;
    const fresh = render(schema, readSegments(this.doc));
    if (!fresh.eq(this.state.doc)) return `shown: ${this.state.doc.toString()}, in the text: ${fresh.toString()}`;
    this.state.doc.check();
    return null;
  }

  pos({ segment, offset }: Place): number {
    let pos = 1;
    for (let index = 0; index < segment; index += 1) pos += this.state.doc.child(index).nodeSize;
    return pos + offset;
  }

  private select(from: Place, to: Place = from): void {
    const { tr } = this.state;
    this.dispatch(tr.setSelection(TextSelection.create(tr.doc, this.pos(from), this.pos(to))));
  }

  private run(command: Command): void {
    command(this.state, (tr) => this.dispatch(tr));
  }

  type(at: Place, text: string): void {
    this.select(at);
    this.dispatch(this.state.tr.insertText(text));
  }

  erase(from: Place, to: Place): void {
    this.select(from, to);
    this.dispatch(this.state.tr.deleteSelection());
  }

  typeOver(from: Place, to: Place, text: string): void {
    this.select(from, to);
    this.dispatch(this.state.tr.insertText(text));
  }

  split(at: Place): void {
    this.select(at);
    this.run(splitSegment);
  }

  merge(segment: number, backward: boolean): void {
    const before = this.state.doc.child(segment - 1).content.size;
    this.select(backward ? { segment, offset: 0 } : { segment: segment - 1, offset: before });
    this.run(backward ? mergeBackward : mergeForward);
  }

  paste(from: Place, to: Place, paragraphs: string[]): void {
    this.select(from, to);
    this.run(insertParagraphs(paragraphs.map((text) => ({ text }))));
  }

  /** Drops a selection elsewhere, as the mouse does: one transaction of the editor. */
  drag(from: Place, to: Place, target: Place): void {
    this.select(from, to);
    const { tr, doc } = this.state;
    const text = doc.textBetween(this.pos(from), this.pos(to));
    tr.deleteSelection();
    const pos = tr.mapping.map(this.pos(target));
    putParagraphs(tr, pos, pos, [{ text }]);
    this.dispatch(tr.setMeta('uiEvent', 'drop'));
  }

  tag(from: Place, to: Place = from): void {
    this.select(from, to);
    this.run(insertTag('inaudible', () => 62_000));
  }

  replaceAll(found: { at: Place; length: number; text: string }[]): void {
    const starts = readSegments(this.doc).map(({ start }) => start);
    const edits = found.map(({ at, length, text }) => ({
      at: (starts[at.segment] ?? 0) + at.offset,
      remove: length,
      insert: [text],
    }));
    this.binding.asOne(() => replaceRanges(this.doc, edits, this.binding));
  }

  speak(segment: number, scope: Scope, speaker: string): void {
    this.binding.setSpeaker(this.shown()[segment]?.id ?? null, scope, speaker);
  }

  undo(): void {
    this.binding.undo();
  }

  redo(): void {
    this.binding.redo();
  }

  compose(): void {
    this.composing = true;
  }

  composed(): void {
    this.composing = false;
    this.binding.settle();
  }

  /** State that must be equal for everybody. */
  truth(): string {
    const speakers = Object.entries(segmentsOf(this.doc).toJSON()).toSorted(([one], [other]) => (one < other ? -1 : 1));
    return JSON.stringify([textOf(this.doc).toDelta(), speakers]);
  }
}

export const flat: Model = {
  start(segments) {
    const doc = new Y.Doc();
    const insert = segments.flatMap(({ id, speaker, text }) => [{ s: id ?? '', p: speaker }, text]);
    replaceRanges(doc, [{ at: 0, remove: 0, insert }], 'start');
    return Y.encodeStateAsUpdate(doc);
  },
  peer: (clientId, start) => new FlatPeer(clientId, start),
};
