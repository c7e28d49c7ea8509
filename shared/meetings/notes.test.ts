import fc from 'fast-check';
import * as Y from 'yjs';
import { describe, expect, it } from 'vitest';
import { notesOf, parseNotes, readNotes, writeNotes, type NoteNode } from './notes.ts';

const p = (...content: NoteNode[]): NoteNode =>
  content.length > 0 ? { type: 'paragraph', content } : { type: 'paragraph' };
const t = (text: string, ...types: string[]): NoteNode =>
  types.length > 0 ? { type: 'text', text, marks: types.map((type) => ({ type })) } : { type: 'text', text };
const doc = (...content: NoteNode[]): NoteNode => ({ type: 'doc', content });
const parsed = (node: unknown) => parseNotes(JSON.stringify(node));

const rich = doc(
  { type: 'heading', attrs: { level: 2 }, content: [t('On Friday')] },
  p(t('She said '), t('twice', 'bold', 'italic'), t(' that '), { type: 'hardBreak' }, t('it holds')),
  { type: 'taskList', content: [{ type: 'taskItem', attrs: { checked: true }, content: [p(t('ask'))] }] },
  { type: 'bulletList', content: [{ type: 'listItem', content: [p(t('one')), p()] }] },
);

describe('notes as JSON', () => {
  it('are written and read as the same', () => {
    const notes = new Y.Doc();
    expect(parsed(rich)).toEqual(rich);
    writeNotes(notes, rich, 'test');
    expect(readNotes(notes)).toEqual(rich);
  });

  it.each<[string, unknown]>([
    ['an element nobody knows', doc({ type: 'iframe' })],
    ['an attribute nobody knows', doc({ type: 'paragraph', attrs: { onclick: 'x' } })],
    [
      'a link that runs',
      doc(p({ type: 'text', text: 'a', marks: [{ type: 'link', attrs: { href: 'javascript:x' } }] })),
    ],
    ['a list in a list, without an item', doc({ type: 'bulletList', content: [p()] })],
    ['no document', p(t('a'))],
    ['nothing', null],
  ])('%s is none of them', (_, given) => expect(parsed(given)).toBeNull());

  it('keep equal blocks untouched, and so concurrent typing in them', () => {
    const notes = new Y.Doc();
    writeNotes(notes, doc(p(t('one')), p(t('two')), p(t('three'))), 'test');
    const [first, , last] = notesOf(notes).toArray();
    writeNotes(notes, doc(p(t('one')), p(t('2')), p(t('2.5')), p(t('three'))), 'test');
    expect(readNotes(notes).content).toHaveLength(4);
    expect([notesOf(notes).get(0), notesOf(notes).get(3)]).toEqual([first, last]);
  });

  it('can be replaced by any others', () => {
    const list = fc.array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 5 }), (states) => {
        const notes = new Y.Doc();
        for (const lines of states) {
          const wanted = doc(...lines.map((line) => p(t(line))));
          writeNotes(notes, wanted, 'test');
          expect(readNotes(notes)).toEqual(wanted);
        }
      }),
    );
  });
});
