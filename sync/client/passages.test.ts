import { describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { passages } from './passages.ts';

/** A document with `before` in it, and the updates that `work` makes. */
function made(before: (doc: Y.Doc) => void, work: (doc: Y.Doc) => void): { doc: Y.Doc; updates: Uint8Array[] } {
  const doc = new Y.Doc();
  before(doc);
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  work(doc);
  return { doc, updates };
}
const transcript = (doc: Y.Doc) => {
  const text = doc.getText('text');
  text.insertEmbed(0, { s: 'b', p: 'ann' });
  text.insert(1, 'Second passage.');
  text.insertEmbed(0, { s: 'a', p: 'ann' });
  text.insert(1, 'First passage.');
};
const notes = (doc: Y.Doc) => {
  const paragraph = (words: string) => {
    const element = new Y.XmlElement('paragraph');
    element.insert(0, [new Y.XmlText(words)]);
    return element;
  };
  doc.getXmlFragment('notes').insert(0, [paragraph('one'), paragraph('two')]);
};

describe('the words given back to their author', () => {
  it.each<[string, (doc: Y.Doc) => void, (doc: Y.Doc) => void, string]>([
    [
      'the whole passage in which a word is new',
      transcript,
      (doc) => doc.getText('text').insert(3, 'XY'),
      'FiXYrst passage.',
    ],
    [
      'the whole point of a summary in which somebody went on',
      (doc) => {
        const point = (text: string) => new Y.Map<unknown>([['text', new Y.Text(text)]]);
        doc.getMap('summary').set('a', point('They want a plan.'));
        doc.getMap('summary').set('b', point('Next week again.'));
      },
      (doc) => (doc.getMap('summary').get('a') as Y.Map<Y.Text>).get('text')?.insert(17, ' Soon.'),
      'They want a plan. Soon.',
    ],
    [
      'of two passages both',
      transcript,
      (doc) => {
        doc.getText('text').insert(3, 'X');
        doc.getText('text').insert(20, 'Y');
      },
      'FiXrst passage.\nSecYond passage.',
    ],
    [
      'a passage that is new',
      transcript,
      (doc) => {
        doc.getText('text').insertEmbed(0, { s: 'c', p: '' });
        doc.getText('text').insert(1, 'New.');
      },
      'New.',
    ],
    [
      'nothing of what is gone again',
      transcript,
      (doc) => {
        doc.getText('text').insert(3, 'X');
        doc.getText('text').delete(3, 1);
      },
      '',
    ],
    ['a title', transcript, (doc) => doc.getMap('about').set('title', 'Interview 4'), 'Interview 4'],
    [
      'words in a value',
      transcript,
      (doc) => doc.getMap('bookmarks').set('x', { at: 3, note: 'listen again' }),
      'listen again',
    ],
    [
      'a paragraph of notes',
      notes,
      (doc) => (doc.getXmlFragment('notes').get(1) as Y.XmlElement).insert(1, [new Y.XmlText(' more')]),
      'two more',
    ],
    [
      'lines of plain text',
      (doc) => doc.getText('text').insert(0, 'one\ntwo\nthree'),
      (doc) => doc.getText('text').insert(6, 'X'),
      'twXo',
    ],
  ])('%s', (_name, before, work, words) => {
    const { doc, updates } = made(before, work);
    expect(passages(doc, updates)).toBe(words);
  });

  it('all of it, of a document whose roots nobody has asked for', () => {
    const source = new Y.Doc();
    transcript(source);
    notes(source);
    const doc = new Y.Doc();
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(source));
    expect(passages(doc, null).split('\n').toSorted()).toEqual(['First passage.', 'Second passage.', 'one', 'two']);
  });
});
