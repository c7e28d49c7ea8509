import { getSchema } from '@tiptap/core';
import { EditorState, type Transaction } from '@tiptap/pm/state';
import { expect, it } from 'vitest';
import * as Y from 'yjs';
import { readSegments, replaceRanges, textOf } from '#shared/meetings/transcript.ts';
import { TranscriptBinding } from './binding.ts';
import { nodes } from './schema.ts';

/** Opens an editor as a view does: empty, then drawn a moment later. */
function opened() {
  const doc = new Y.Doc();
  replaceRanges(doc, [{ at: 0, remove: 0, insert: [{ s: 'a', p: 'ann' }, 'one two'] }], 'start');
  const binding = new TranscriptBinding(doc, { check: () => true });
  const host = {
    composing: false,
    state: EditorState.create({ schema: getSchema(nodes), plugins: [binding.plugin()] }),
    dispatch(tr: Transaction) {
      this.state = this.state.apply(tr);
      binding.write();
    },
  };
  binding.attach(host);
  return { doc, binding, host, texts: () => readSegments(doc).map(({ text }) => text) };
}

it('an editor that opens empty writes nothing before the text is drawn', async () => {
  const { binding, host, texts } = opened();
  binding.write();
  expect(texts()).toEqual(['one two']);
  await Promise.resolve();
  expect([texts(), host.state.doc.textContent, binding.repairs]).toEqual([['one two'], 'one two', 0]);
});

it('remote changes before the first drawing are included in it', async () => {
  const { doc, host, binding } = opened();
  textOf(doc).insert(1, 'zero ');
  await Promise.resolve();
  expect([host.state.doc.textContent, binding.repairs]).toEqual(['zero one two', 0]);
});

it('a read-only editor neither changes nor undoes anything', async () => {
  const { host, binding, texts } = opened();
  await Promise.resolve();
  host.dispatch(host.state.tr.insertText('x', 1));
  binding.setReadOnly(true);
  host.dispatch(host.state.tr.insertText('y', 1));
  expect([texts(), binding.undo()]).toEqual([['xone two'], false]);
  expect(() => binding.setSpeaker('a', 'one', 'ben')).toThrow('may only be read');
});

it('a word composed while others wrote is written once, also when the write causes a redraw', async () => {
  const { doc, host, binding, texts } = opened();
  await Promise.resolve();
  const end = () => host.state.doc.content.size - 1;
  host.composing = true;
  host.dispatch(host.state.tr.insertText('n', end()));
  doc.transact(() => textOf(doc).insert(1, 'zero '), 'others');
  expect(binding.holding).toBe(true);
  host.dispatch(host.state.tr.insertText('你好', end() - 1, end()));
  // Redraws the carets of other people, which dispatches during the write.
  doc.on('afterTransaction', () => host.dispatch(host.state.tr));
  host.composing = false;
  binding.settle();
  expect([texts(), host.state.doc.textContent, binding.repairs]).toEqual([['zero one two你好'], 'zero one two你好', 0]);
});
