import { Fragment, Schema, Slice, type Node } from '@tiptap/pm/model';
import { EditorState, type Plugin, type Transaction } from '@tiptap/pm/state';
import type { EditorView } from '@tiptap/pm/view';
import * as Y from 'yjs';
import { newId } from '#shared/ids.ts';
import type { Model, Peer, Place, Shown } from '#tests/transcript/peer.ts';

// Conventional design for comparison: the editor's tree as a tree of shared types by y-prosemirror, each word in a mark
// with its time. In a folder of its own, so it is only available if installed there.

interface Binding {
  ySyncPlugin(fragment: Y.XmlFragment): Plugin;
}
const { ySyncPlugin } = (await import(
  new URL('peers/node_modules/y-prosemirror/src/y-prosemirror.js', import.meta.url).href
)) as Binding;

const schema = new Schema({
  nodes: {
    doc: { content: 'segment+' },
    text: { group: 'inline' },
    segment: { content: 'text*', attrs: { id: { default: null }, speaker: { default: '' } } },
  },
  marks: { word: { attrs: { from: { default: 0 }, to: { default: 0 } }, inclusive: true } },
});

export class MarksPeer implements Peer {
  readonly doc = new Y.Doc();
  readonly composing = false;
  state: EditorState;
  private shownBy: { update?(view: EditorView, before: EditorState): void } = {};
  private readonly view: EditorView;
  private readonly undoManager: Y.UndoManager;

  constructor(clientId: number, start: Uint8Array) {
    this.doc.clientID = clientId;
    Y.applyUpdate(this.doc, start);
    const fragment = this.doc.getXmlFragment('segments');
    const plugin = ySyncPlugin(fragment);
    this.state = EditorState.create({ schema, plugins: [plugin] });
    this.undoManager = new Y.UndoManager(fragment, { trackedOrigins: new Set([plugin.spec.key]), captureTimeout: 0 });
    const dispatch = (tr: Transaction) => this.dispatch(tr);
    const state = () => this.state;
    // The only part of a view it uses.
    this.view = {
      get state() {
        return state();
      },
      dispatch,
      hasFocus: () => false,
    } as unknown as EditorView;
    this.shownBy = plugin.spec.view?.(this.view) ?? {};
  }

  dispatch(tr: Transaction): void {
    const before = this.state;
    this.state = this.state.apply(tr);
    this.shownBy.update?.(this.view, before);
  }

  shown(): Shown[] {
    return this.state.doc.children.map((node) => ({
      id: node.attrs['id'] as string | null,
      speaker: node.attrs['speaker'] as string,
      text: node.textContent,
    }));
  }

  private pos({ segment, offset }: Place): number {
    let pos = 1;
    for (let index = 0; index < segment; index += 1) pos += this.state.doc.child(index).nodeSize;
    return pos + offset;
  }

  type(at: Place, text: string): void {
    this.dispatch(this.state.tr.insertText(text, this.pos(at)));
  }

  erase(from: Place, to: Place): void {
    this.dispatch(this.state.tr.delete(this.pos(from), this.pos(to)));
  }

  typeOver(from: Place, to: Place, text: string): void {
    this.dispatch(this.state.tr.insertText(text, this.pos(from), this.pos(to)));
  }

  split(at: Place): void {
    const speaker = this.state.doc.child(at.segment).attrs['speaker'] as string;
    const type = schema.nodes.segment;
    this.dispatch(this.state.tr.split(this.pos(at), 1, [{ type, attrs: { id: newId(), speaker } }]));
  }

  merge(segment: number): void {
    const at = this.pos({ segment, offset: 0 }) - 1;
    this.dispatch(this.state.tr.join(at).insertText(' ', at - 1));
  }

  paste(from: Place, to: Place, paragraphs: string[]): void {
    const speaker = this.state.doc.child(from.segment).attrs['speaker'] as string;
    const list = paragraphs.map((text) =>
      schema.node('segment', { id: newId(), speaker }, text === '' ? [] : [schema.text(text)]),
    );
    this.dispatch(this.state.tr.replace(this.pos(from), this.pos(to), new Slice(Fragment.from(list), 1, 1)));
  }

  replaceAll(found: { at: Place; length: number; text: string }[]): void {
    const { tr } = this.state;
    for (const { at, length, text } of found.toReversed()) {
      const pos = this.pos(at);
      tr.insertText(text, pos, pos + length);
    }
    this.dispatch(tr);
  }

  speak(segment: number, _scope: unknown, speaker: string): void {
    const at = this.pos({ segment, offset: 0 }) - 1;
    this.dispatch(this.state.tr.setNodeAttribute(at, 'speaker', speaker));
  }

  undo(): void {
    this.undoManager.undo();
  }

  redo(): void {
    this.undoManager.redo();
  }

  compose(): void {}
  composed(): void {}

  wrong(): string | null {
    try {
      this.state.doc.check();
      return null;
    } catch (error) {
      return String(error);
    }
  }

  truth(): string {
    return JSON.stringify(this.doc.getXmlFragment('segments'));
  }
}

/** Words in marks with made-up times. */
function wordsOf(text: string, begin: number): Node[] {
  return (text.match(/\S+\s*/g) ?? []).map((word, index) =>
    schema.text(word, [schema.mark('word', { from: begin + index * 400, to: begin + index * 400 + 350 })]),
  );
}

export const marks: Model = {
  start(segments) {
    const doc = new Y.Doc();
    const fragment = doc.getXmlFragment('segments');
    let begin = 0;
    fragment.push(
      segments.map(({ id, speaker, text }) => {
        const element = new Y.XmlElement('segment');
        element.setAttribute('id', id ?? '');
        element.setAttribute('speaker', speaker);
        const content = new Y.XmlText();
        const delta = wordsOf(text, begin).map((node) => ({
          insert: node.text ?? '',
          attributes: { word: node.marks[0]?.attrs },
        }));
        begin += delta.length * 400;
        content.applyDelta(delta);
        element.insert(0, [content]);
        return element;
      }),
    );
    return Y.encodeStateAsUpdate(doc);
  },
  peer: (clientId, start) => new MarksPeer(clientId, start),
};
