import { expect, it } from 'vitest';
import * as Y from 'yjs';
import { textOf } from '#shared/meetings/transcript.ts';

import { labelOf } from './step-label.ts';

const origin = {};

function edited(edits: (text: Y.Text, doc: Y.Doc) => void) {
  const doc = new Y.Doc();
  const text = textOf(doc);
  text.insertEmbed(0, { s: 'one', p: 'ann' });
  text.insert(1, 'one two three');
  const manager = new Y.UndoManager(
    [text, ...['segments', 'speakers', 'checked', 'toc'].map((name) => doc.getMap(name))],
    {
      trackedOrigins: new Set([origin]),
    },
  );
  doc.transact(() => edits(text, doc), origin);
  return { doc, manager };
}

it.each<[string, (text: Y.Text, doc: Y.Doc) => void, object]>([
  ['typing', (text) => text.insert(5, 'and '), { kind: 'typed', text: 'and' }],
  ['a deletion', (text) => text.delete(5, 4), { kind: 'deleted', old: 'two' }],
  [
    'a replacement, in reading order',
    (text) => {
      text.delete(5, 3);
      text.insert(5, 'ur');
      text.insert(5, 'fo');
    },
    { kind: 'replaced', old: 'two', text: 'four' },
  ],
  [
    'letters that the same step took back',
    (text) => {
      text.insert(5, 'andx');
      text.delete(8, 1);
    },
    { kind: 'typed', text: 'and', old: '' },
  ],
  [
    'a split with a full stop',
    (text) => {
      text.insertEmbed(8, { s: 'two', p: 'ann' });
      text.insert(8, '.');
    },
    { kind: 'split' },
  ],
  ['long text, shortened', (text) => text.insert(5, 'word '.repeat(20)), { text: 'word word word word word word…' }],
  ['a speaker', (_text, doc) => doc.getMap('segments').set('one', { speaker: 'ben' }), { kind: 'segments' }],
  ['a chapter', (_text, doc) => doc.getMap('toc').set('one', new Y.Map([['title', 'x']])), { kind: 'toc' }],
])('tells of %s, before and after it is undone', (_name, edits, expected) => {
  const { doc, manager } = edited(edits);
  const [step] = manager.undoStack;
  if (!step) throw new Error('no step');
  expect(labelOf(doc, step, 'undo')).toMatchObject(expected);
  manager.undo();
  const [undone] = manager.redoStack;
  if (!undone) throw new Error('no step');
  expect(labelOf(doc, undone, 'redo')).toMatchObject(expected);
});

it('tells of a merge', () => {
  const { doc, manager } = edited((text) => text.delete(0, 1));
  const [step] = manager.undoStack;
  expect(step && labelOf(doc, step, 'undo').kind).toBe('merged');
});
