// Splitting and merging keep capitals and full stops right, also when three do it at once.
import { expect, test } from 'vitest';
import * as Y from 'yjs';
import {
  mergeSentencesBackward,
  mergeSentencesForward,
  splitSentences,
  type Sentences,
} from '#client/meetings/text/sentence-keys.ts';
import { readSegments, replaceRanges } from '#shared/meetings/transcript.ts';
import { TextSelection } from '@tiptap/pm/state';
import { Chance } from '../sim/chance.ts';
import { FlatPeer } from './flat-peer.ts';

// Automatic capitals and full stops at splits and merges, by one person and by three at once.

const usual: Sentences = { preferences: {}, lang: 'en' };

function start(...texts: string[]): Uint8Array {
  const doc = new Y.Doc();
  replaceRanges(
    doc,
    [{ at: 0, remove: 0, insert: texts.flatMap((text, i) => [{ s: `s${i}`, p: 'ann' }, text]) }],
    'start',
  );
  return Y.encodeStateAsUpdate(doc);
}

class Writer extends FlatPeer {
  sentences = usual;

  at(segment: number, offset: number, to = offset): void {
    const { tr } = this.state;
    const [from, end] = [this.pos({ segment, offset }), this.pos({ segment, offset: to })];
    this.dispatch(tr.setSelection(TextSelection.create(tr.doc, from, end)));
  }

  enter(): void {
    splitSentences(() => this.sentences)(this.state, (tr) => this.dispatch(tr));
  }

  backspace(): boolean {
    return mergeSentencesBackward(() => this.sentences)(this.state, (tr) => this.dispatch(tr));
  }

  delete(): boolean {
    return mergeSentencesForward(() => this.sentences)(this.state, (tr) => this.dispatch(tr));
  }

  get texts(): string[] {
    return readSegments(this.doc).map(({ text }) => text);
  }

  /** Position of the caret: segment and offset. */
  get caret(): [number, number] {
    const { $head } = this.state.selection;
    return [$head.index(0), $head.parentOffset];
  }
}

interface Row {
  what: string;
  text: string;
  /** The caret, or a selection. */
  at: [number, number?];
  sentences?: Partial<Sentences['preferences']>;
  lang?: string;
  becomes: [string, string];
}

const splits: Row[] = [
  { what: 'ends the one and begins the other', text: 'so we went home', at: [6], becomes: ['so we.', 'Went home'] },
  { what: 'takes the blanks at the cut', text: 'one  two', at: [4], becomes: ['one.', 'Two'] },
  { what: 'leaves a question mark', text: 'really? yes', at: [7], becomes: ['really?', 'Yes'] },
  { what: 'leaves a comma', text: 'well, then', at: [5], becomes: ['well,', 'Then'] },
  { what: 'adds nothing at the end', text: 'one two', at: [7], becomes: ['one two', ''] },
  { what: 'adds nothing at the beginning', text: 'one two', at: [0], becomes: ['', 'One two'] },
  { what: 'replaces what is selected', text: 'one two three', at: [3, 8], becomes: ['one.', 'Three'] },
  {
    what: 'keeps small letters for who wants them',
    text: 'one two',
    at: [4],
    sentences: { disableAutoCapitalize: true },
    becomes: ['one.', 'two'],
  },
  { what: 'ends Chinese as Chinese ends', text: '你好世界', at: [2], lang: 'zh', becomes: ['你好。', '世界'] },
  { what: 'dots the Turkish capital', text: 'bir iki', at: [4], lang: 'tr', becomes: ['bir.', 'İki'] },
  { what: 'never cuts a letter of two halves', text: 'a 𐐨b', at: [2], becomes: ['a.', '𐐀b'] },
];

test.each(splits)('a split $what', ({ text, at, sentences, lang, becomes }) => {
  const ann = new Writer(1, start(text));
  ann.sentences = { preferences: sentences ?? {}, lang: lang ?? 'en' };
  ann.at(0, at[0], at[1]);
  ann.enter();
  expect(ann.texts).toEqual(becomes);
  expect(ann.caret).toEqual([1, 0]);
  expect(ann.wrong()).toBe(null);
  ann.undo();
  expect(ann.texts).toEqual([text]);
  ann.redo();
  expect(ann.texts).toEqual(becomes);
  expect(ann.wrong()).toBe(null);
});

const merges = [
  { what: 'continues in small letters', texts: ['so we', 'Went home'], becomes: 'so we went home', caret: 6 },
  { what: 'leaves a sentence that begins', texts: ['So we.', 'Went home'], becomes: 'So we. Went home', caret: 7 },
  { what: 'leaves I', texts: ['so', 'I went'], becomes: 'so I went', caret: 3 },
  { what: 'joins nothing and something', texts: ['', 'Went home'], becomes: 'Went home', caret: 0 },
  {
    what: 'keeps capitals for who wants them',
    texts: ['so we', 'Went home'],
    sentences: { disableAutoDecapitalize: true },
    becomes: 'so we Went home',
    caret: 6,
  },
];

test.each(merges)('a merge $what', ({ texts, sentences, becomes, caret }) => {
  for (const key of ['backspace', 'delete'] as const) {
    const ann = new Writer(1, start(...texts));
    ann.sentences = { preferences: sentences ?? {}, lang: 'en' };
    if (key === 'backspace') ann.at(1, 0);
    else ann.at(0, texts[0]?.length ?? 0);
    expect(ann[key]()).toBe(true);
    expect(ann.texts).toEqual([becomes]);
    expect(ann.caret).toEqual([0, key === 'backspace' ? caret : (texts[0]?.length ?? 0)]);
    expect(ann.wrong()).toBe(null);
    ann.undo();
    expect(ann.texts).toEqual(texts);
  }
});

test('text that another person types in the tail at the same time stays in the tail', () => {
  const from = start('so we went home');
  const [ann, ben] = [new Writer(1, from), new Writer(2, from)];
  ann.at(0, 6);
  ann.enter();
  ben.type({ segment: 0, offset: 15 }, '!');
  ben.type({ segment: 0, offset: 0 }, '>');
  Y.applyUpdate(ben.doc, Y.encodeStateAsUpdate(ann.doc), 'line');
  Y.applyUpdate(ann.doc, Y.encodeStateAsUpdate(ben.doc), 'line');
  expect(ann.texts).toEqual(['>so we.', 'Went home!']);
  expect(ben.texts).toEqual(ann.texts);
  ann.undo();
  Y.applyUpdate(ben.doc, Y.encodeStateAsUpdate(ann.doc), 'line');
  expect(ben.texts).toEqual(['>so we went home!']);
  expect([ann.wrong(), ben.wrong()]).toEqual([null, null]);
});

const sentence = (chance: Chance) =>
  Array.from({ length: chance.between(0, 6) }, () => chance.pick(['we', 'Then', 'home.', 'I', 'no?', '𐐨x', ' '])).join(
    ' ',
  );

/** Lets three people edit at once, in any order; returns what is wrong at the end. */
function meeting(seed: number): string | null {
  const chance = new Chance(seed);
  const from = start(...Array.from({ length: chance.between(1, 3) }, () => sentence(chance)));
  const peers = [10, 11, 12].map((id) => new Writer(id, from));
  const inboxes = peers.map((): Uint8Array[] => []);
  peers.forEach((peer, sender) =>
    peer.doc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== 'line') inboxes.forEach((inbox, to) => to !== sender && inbox.push(update));
    }),
  );
  for (let step = 0; step < 40; step += 1) {
    const number = chance.between(0, 2);
    const [peer, inbox] = [peers[number], inboxes[number]];
    if (!peer || !inbox) continue;
    if (chance.happens(0.4)) {
      const [update] = inbox.splice(chance.between(0, Math.max(0, inbox.length - 1)), 1);
      if (update) Y.applyUpdate(peer.doc, update, 'line');
    } else {
      const shown = peer.shown();
      const segment = chance.between(0, shown.length - 1);
      const text = shown[segment]?.text ?? '';
      const whole = Array.from(text).map((_, i, list) => list.slice(0, i).join('').length);
      const offset = chance.pick([0, text.length, ...whole]);
      peer.at(segment, offset);
      const what = chance.between(0, 9);
      if (what < 4) peer.enter();
      else if (what < 6) {
        peer.at(segment, 0);
        peer.backspace();
      } else if (what < 7) {
        peer.at(segment, text.length);
        peer.delete();
      } else if (what < 8) peer.type({ segment, offset }, chance.pick(['a', 'B ', '. ']));
      else if (what < 9) peer.undo();
      else peer.redo();
    }
    const wrong = peer.wrong();
    if (wrong !== null) return `step ${step}: ${wrong}`;
  }
  for (const one of peers)
    for (const other of peers)
      Y.applyUpdate(one.doc, Y.encodeStateAsUpdate(other.doc, Y.encodeStateVector(one.doc)), 'line');
  const truths = new Set(peers.map((peer) => peer.truth()));
  const wrong = peers.map((peer) => peer.wrong()).find((one) => one !== null);
  for (const peer of peers) peer.doc.destroy();
  return wrong ?? (truths.size === 1 ? null : 'they do not agree');
}

test('three who split, merge, type and undo at once see the same, and the editor shows the text', () => {
  const failures = Array.from({ length: 150 }, (_, i) => [i + 1, meeting(i + 1)]).filter(([, wrong]) => wrong !== null);
  expect(failures).toEqual([]);
});
