// Each action of a person is one step of undo, whatever it is and however quickly the next one follows.
import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { anchorAt } from '#shared/meetings/anchors.ts';
import { checkedOf, checkWords } from '#shared/meetings/doubts.ts';
import { addHighlight, addTimed, readHighlights, readTimed, removeHighlights } from '#shared/meetings/entries.ts';
import { replaceHits, search } from '#shared/meetings/search.ts';
import { seedState } from '#shared/meetings/seed.ts';
import {
  addSpeaker,
  mergeSpeakers,
  moveSpeaker,
  readSpeakers,
  recolorSpeaker,
  removeSpeaker,
  renameSpeaker,
} from '#shared/meetings/speakers.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { readWords } from '#shared/meetings/words.ts';
import { FlatPeer } from './flat-peer.ts';
import type { Place } from './peer.ts';

const talk = ['one two three', 'two six', 'ten two'];
const place = (segment: number, offset: number): Place => ({ segment, offset });

function opened(): FlatPeer {
  const start = seedState({
    speakers: [
      { id: 'ann', name: 'Ann', color: 0, sortId: 0 },
      { id: 'ben', name: 'Ben', color: 1, sortId: 1 },
    ],
    segments: talk.map((text, i) => ({
      id: `s${i}`,
      speaker: i === 1 ? 'ben' : 'ann',
      text,
      words: text.split(' ').map((w, nth) => ({ w, f: i * 10 + nth, t: i * 10 + nth + 0.5, confidence: 0.3 })),
    })),
  });
  return new FlatPeer(10, start, 10_000);
}

/** Each letter as the browser brings it: an edit of its own. */
function keys(peer: FlatPeer, { segment, offset }: Place, text: string): void {
  for (const [nth, letter] of [...text].entries()) peer.type(place(segment, offset + nth), letter);
}

function replace(peer: FlatPeer, replacement: string, only?: number): void {
  const { binding, doc } = peer;
  const shown = search(doc, 'two');
  binding.asOne(() =>
    replaceHits(doc, { query: 'two', replacement, shown, ...(only !== undefined && { only }) }, binding),
  );
}

function highlight({ binding, doc }: FlatPeer, from: number, to: number): void {
  binding.asOne(() =>
    addHighlight(
      doc,
      { id: `h${from}`, color: 'green', anchor: anchorAt(doc, 1, from, to), start: 0, end: 1, quote: '' },
      binding,
    ),
  );
}

const mergeTwo = (p: FlatPeer) => void p.binding.asOne(() => mergeSpeakers(p.doc, 'ben', 'ann', p.binding));
const order = (p: FlatPeer, id: string, by: -1 | 1) =>
  void p.binding.asOne(() => moveSpeaker(p.doc, id, by, p.binding));
const add = (p: FlatPeer, id: string) => void p.binding.asOne(() => addSpeaker(p.doc, id, id, p.binding));

/** Types a name into its field, from the first letter on. */
function rename({ binding, doc }: FlatPeer, id: string, name: string, field = {}): void {
  for (const [nth] of [...name].entries())
    binding.typeInto(field, () => renameSpeaker(doc, id, name.slice(0, nth + 1), binding));
}

/** Everything that undo covers. */
const all = (peer: FlatPeer): unknown => ({
  shown: peer.shown().map(({ speaker, text }) => `${speaker}: ${text}`),
  speakers: readSpeakers(peer.doc),
  highlights: readHighlights(peer.doc),
  bookmarks: readTimed(peer.doc, 'bookmarks'),
  checked: checkedOf(peer.doc).toJSON(),
  words: readWords(peer.doc).segments.map(({ words }) => words),
});

type Act = (peer: FlatPeer) => void;

// Each row is done twice in a row without a pause, so two steps.
const actions: [string, Act, Act][] = [
  ['typing', (p) => keys(p, place(0, 3), ' and'), (p) => keys(p, place(1, 0), 'Or ')],
  [
    'typing over a word',
    (p) => (p.typeOver(place(0, 4), place(0, 7), 'f'), keys(p, place(0, 5), 'our')),
    (p) => (p.typeOver(place(1, 4), place(1, 7), 'n'), keys(p, place(1, 5), 'ine')),
  ],
  [
    'typing over a word that begins with the same letter',
    (p) => (p.typeOver(place(0, 4), place(0, 7), 't'), keys(p, place(0, 5), 'en')),
    (p) => (p.typeOver(place(1, 4), place(1, 7), 's'), keys(p, place(1, 5), 'even')),
  ],
  ['deleting a selection', (p) => p.erase(place(0, 3), place(0, 7)), (p) => p.erase(place(0, 3), place(0, 9))],
  [
    'deleting letter by letter',
    (p) => [3, 2, 1].forEach((at) => p.erase(place(0, at - 1), place(0, at))),
    (p) => [7, 6].forEach((at) => p.erase(place(1, at - 1), place(1, at))),
  ],
  ['deleting across segments', (p) => p.erase(place(0, 8), place(1, 3)), (p) => p.erase(place(0, 8), place(1, 3))],
  ['cutting, then typing there', (p) => p.erase(place(0, 4), place(0, 7)), (p) => keys(p, place(0, 4), 'four')],
  ['typing, then deleting a selection', (p) => keys(p, place(0, 3), 'x'), (p) => p.erase(place(0, 4), place(0, 8))],
  [
    'pasting',
    (p) => p.paste(place(0, 3), place(0, 3), [' and more']),
    (p) => p.paste(place(0, 12), place(0, 12), [' and more']),
  ],
  [
    'typing, then pasting there',
    (p) => keys(p, place(0, 3), 'x'),
    (p) => p.paste(place(0, 4), place(0, 4), ['pasted']),
  ],
  [
    'pasting several paragraphs over a selection',
    (p) => p.paste(place(0, 4), place(1, 3), ['x', 'y', 'z']),
    (p) => p.paste(place(3, 0), place(3, 3), ['v', 'w']),
  ],
  [
    'typing, then pasting over that',
    (p) => keys(p, place(0, 3), 'x'),
    (p) => p.paste(place(0, 3), place(0, 4), ['pasted']),
  ],
  [
    'dragging a word',
    (p) => p.drag(place(0, 4), place(0, 8), place(1, 0)),
    (p) => p.drag(place(1, 0), place(1, 4), place(0, 0)),
  ],
  [
    'typing, then dragging that within its paragraph',
    (p) => keys(p, place(0, 4), 'x'),
    (p) => p.drag(place(0, 4), place(0, 5), place(0, 3)),
  ],
  ['dragging a selection', (p) => p.drag(place(0, 4), place(0, 13), place(2, 3)), (p) => keys(p, place(2, 12), 's')],
  ['a tag for a sound', (p) => p.tag(place(0, 3)), (p) => p.tag(place(1, 4), place(1, 7))],
  ['typing, then a tag in its place', (p) => keys(p, place(0, 3), 'x'), (p) => p.tag(place(0, 3), place(0, 4))],
  ['splitting', (p) => p.split(place(0, 3)), (p) => p.split(place(1, 4))],
  ['merging', (p) => p.merge(1, true), (p) => p.merge(1, true)],
  ['merging forward', (p) => p.merge(2, false), (p) => p.merge(1, false)],
  ['typing, then merging', (p) => keys(p, place(1, 0), 'x'), (p) => p.merge(1, true)],
  ['merging, then typing', (p) => p.merge(1, true), (p) => keys(p, place(0, 14), 'x')],
  ['replacing one', (p) => replace(p, 'four', 0), (p) => replace(p, 'four', 0)],
  ['replacing all', (p) => replace(p, 'to'), (p) => keys(p, place(0, 6), 'o')],
  ['giving a segment to another speaker', (p) => p.speak(0, 'one', 'ben'), (p) => p.speak(2, 'one', 'ben')],
  ['giving all segments to another speaker', (p) => p.speak(0, 'all', 'ben'), (p) => p.speak(0, 'all', 'ann')],
  ['merging speakers', mergeTwo, (p) => void p.binding.asOne(() => recolorSpeaker(p.doc, 'ann', 3, p.binding))],
  ['merging speakers, and typing', (p) => mergeTwo(p), (p) => keys(p, place(0, 3), 'x')],
  ['another order of speakers', (p) => order(p, 'ben', -1), (p) => order(p, 'ben', 1)],
  ['a speaker more, and another order', (p) => add(p, 'cara'), (p) => order(p, 'cara', -1)],
  [
    'speakers who say nothing',
    (p) => add(p, 'cara'),
    (p) => void p.binding.asOne(() => removeSpeaker(p.doc, 'cara', p.binding)),
  ],
  ['renaming speakers letter by letter', (p) => rename(p, 'ann', 'Anna'), (p) => rename(p, 'ben', 'Benno')],
  ['renaming the same speaker twice', (p) => rename(p, 'ann', 'Anna'), (p) => rename(p, 'ann', 'Hanna')],
  ['typing, then renaming a speaker', (p) => keys(p, place(0, 3), 'x'), (p) => rename(p, 'ann', 'Anna')],
  ['renaming a speaker, then typing', (p) => rename(p, 'ann', 'Anna'), (p) => keys(p, place(0, 3), 'x')],
  ['highlighting', (p) => highlight(p, 1, 4), (p) => highlight(p, 5, 8)],
  [
    'removing a highlight',
    (p) => highlight(p, 1, 4),
    (p) => p.binding.asOne(() => removeHighlights(p.doc, ['h1'], p.binding)),
  ],
  [
    'bookmarks',
    (p) => p.binding.asOne(() => addTimed(p.doc, 'bookmarks', { id: 'b1', start: 1, title: 'x' }, p.binding)),
    (p) => p.binding.asOne(() => addTimed(p.doc, 'bookmarks', { id: 'b2', start: 2, title: 'y' }, p.binding)),
  ],
  [
    'accepting words',
    (p) =>
      p.binding.asOne(() => checkWords(p.doc, readWords(p.doc).segments[0]?.words.slice(0, 1) ?? [], true, p.binding)),
    (p) =>
      p.binding.asOne(() => checkWords(p.doc, readWords(p.doc).segments[0]?.words.slice(1, 2) ?? [], true, p.binding)),
  ],
  [
    'a word that an input method composes',
    (p) => compose(p, place(0, 3), ['n', 'ni', 'nih', '你好']),
    (p) => compose(p, place(1, 3), ['s', 'sh', '世']),
  ],
];

/** Each state of a composition replaces the one before it; the last is what was chosen. */
function compose(peer: FlatPeer, { segment, offset }: Place, states: readonly string[]): void {
  peer.compose();
  let before = 0;
  for (const state of states) {
    peer.typeOver(place(segment, offset), place(segment, offset + before), state);
    before = state.length;
  }
  peer.composed();
}

test.each(actions)('%s: each time one step, undone and done again', (_, first, second) => {
  const peer = opened();
  const states = [all(peer)];
  for (const act of [first, second]) {
    act(peer);
    states.push(all(peer));
  }
  const [none, one, both] = states;
  expect(one).not.toEqual(none);
  expect(one).not.toEqual(both);
  for (let round = 0; round < 2; round += 1) {
    peer.undo();
    expect(all(peer)).toEqual(one);
    peer.undo();
    expect(all(peer)).toEqual(none);
    expect(peer.binding.undoManager.canUndo()).toBe(false);
    peer.redo();
    expect(all(peer)).toMatchObject({ shown: (one as { shown: unknown }).shown });
    peer.redo();
    expect(all(peer)).toMatchObject({ shown: (both as { shown: unknown }).shown });
    expect(peer.binding.undoManager.canRedo()).toBe(false);
  }
  expect(peer.wrong()).toBeNull();
});

test('a name that is given up leaves no step', () => {
  const peer = opened();
  const before = all(peer);
  keys(peer, place(0, 3), 'x');
  const field = {};
  rename(peer, 'ann', 'Hanna', field);
  expect(peer.binding.takeBack(field)).toBe(true);
  expect(readSpeakers(peer.doc).map(({ name }) => name)).toEqual(['Ann', 'Ben']);
  expect(peer.binding.undoManager.canRedo()).toBe(false);
  peer.undo();
  expect(all(peer)).toEqual(before);
  expect(peer.binding.undoManager.canUndo()).toBe(false);
  // Nothing else is taken back in its place.
  rename(peer, 'ann', 'Hanna', field);
  keys(peer, place(0, 3), 'x');
  expect(peer.binding.takeBack(field)).toBe(false);
});

test('typing goes on in one step while another person writes', () => {
  const peer = opened();
  const other = new Y.Doc();
  Y.applyUpdate(other, Y.encodeStateAsUpdate(peer.doc));
  other.on('update', (update: Uint8Array) => Y.applyUpdate(peer.doc, update, 'line'));
  keys(peer, place(1, 0), 'we');
  textOf(other).insert(1, 'Well, ');
  keys(peer, place(1, 2), 'll');
  expect(peer.shown().map(({ text }) => text)).toEqual(['Well, one two three', 'welltwo six', 'ten two']);
  peer.undo();
  expect(peer.shown().map(({ text }) => text)).toEqual(['Well, one two three', 'two six', 'ten two']);
});

test('a replacement is undone alone, also after something else was typed', () => {
  const peer = opened();
  replace(peer, 'four');
  const step = peer.binding.lastStep;
  keys(peer, place(0, 0), 'So ');
  keys(peer, place(2, 0), 'A ');
  if (!step) throw new Error('nothing was replaced');
  expect(peer.binding.undoOnly(step)).toBe(true);
  const texts = () => peer.shown().map(({ text }) => text);
  expect(texts()).toEqual(['So one two three', 'two six', 'A ten two']);
  // Undone already: nothing else is undone in its place.
  expect(peer.binding.undoOnly(step)).toBe(false);
  expect(texts()).toEqual(['So one two three', 'two six', 'A ten two']);
  peer.redo();
  expect(texts()).toEqual(['So one four three', 'four six', 'A ten four']);
  for (let steps = 3; steps > 0; steps -= 1) peer.undo();
  expect(texts()).toEqual(talk);
});
