import * as Y from 'yjs';
import { describe, expect, it } from 'vitest';
import { anchorAt, stretchesOf, type Anchor } from './anchors.ts';
import { carryAnchors, type Carried } from './carry-anchors.ts';
import { cloneState } from './seed.ts';
import { pieces, replaceRanges, textOf } from './transcript.ts';
import { matchWords } from './word-matches.ts';

const talk = (...texts: string[]): Y.Doc => {
  const doc = new Y.Doc();
  const insert = texts.flatMap((text, i) => [{ s: `s${i}`, p: 'p' }, text]);
  replaceRanges(doc, [{ at: 0, remove: 0, insert }], 'test');
  return doc;
};
const copyOf = (doc: Y.Doc): Y.Doc => {
  const copy = new Y.Doc();
  Y.applyUpdate(copy, cloneState(Y.encodeStateAsUpdate(doc)));
  return copy;
};
const flat = (doc: Y.Doc): string =>
  [...pieces(textOf(doc))].map((one) => (typeof one === 'string' ? one : '|')).join('');
const put = (doc: Y.Doc, words: string, text: string): void =>
  replaceRanges(
    doc,
    [{ at: flat(doc).indexOf(words), remove: words.length, insert: text === '' ? [] : [text] }],
    'test',
  );
const at = (doc: Y.Doc, words: string, g = 1): Anchor => {
  const from = flat(doc).indexOf(words);
  const anchor = anchorAt(doc, g, from, from + words.length);
  if (from < 0 || !anchor) throw new Error(`no ${words}`);
  return anchor;
};
function run<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
const carry = (before: Y.Doc, now: Y.Doc, anchor: Anchor, quote = ''): Carried =>
  run(carryAnchors(before, now, 2, [{ anchor, quote }]))[0] ?? { fate: 'absent' };
/** The words that it stands on in the other document. */
const standsOn = (before: Y.Doc, now: Y.Doc, words: string, quote = words): string => {
  const carried = carry(before, now, at(before, words), quote);
  if (carried.fate !== 'kept') return carried.fate;
  expect(carried.anchor.g).toBe(2);
  const [found] = stretchesOf(now, [carried.anchor]);
  return found ? flat(now).slice(found.from, found.to) : 'nothing';
};

describe('anchors in a document that takes the place of another', () => {
  const texts = ['We met at the river in May.', 'Nobody had brought the brown fox along, I think.'];

  it('keep their characters in a copy, also around words that are gone there', () => {
    const before = talk(...texts);
    const then = copyOf(before);
    put(before, 'river', 'quiet river');
    expect(standsOn(before, then, 'the brown fox')).toBe('the brown fox');
    expect(standsOn(before, then, 'the quiet river')).toBe('the river');
    expect(standsOn(before, then, 'quiet')).toBe('lost');
  });

  it('come back to words that a restored document has again', () => {
    const before = talk(...texts);
    const then = copyOf(before);
    const anchor = at(before, 'brown fox');
    put(before, 'brown fox ', '');
    expect(carry(before, then, anchor)).toEqual({ fate: 'kept', anchor: { ...anchor, g: 2 } });
    // And what was gone before and stays so is no loss of this change.
    expect(carry(before, copyOf(before), anchor)).toEqual({ fate: 'absent' });
  });

  it('find the same words in another transcript, with other signs, capitals and paragraphs', () => {
    const before = talk(...texts);
    const now = talk('So. We met at the river, in May; nobody', 'had brought the brown Fox along I think');
    expect(standsOn(before, now, 'river in May')).toBe('river, in May');
    expect(standsOn(before, now, 'the brown fox')).toBe('the brown Fox');
    expect(standsOn(before, now, 'Nobody had')).toBe('nobody|had');
    expect(standsOn(before, now, 'row')).toBe('row');
  });

  it('take in a word that was heard differently; all words heard differently are lost', () => {
    const before = talk(...texts);
    const now = talk('We met at the river in May.', 'Nobody had brought the red fox along, I think.');
    expect(standsOn(before, now, 'the brown fox')).toBe('the red fox');
    expect(standsOn(before, now, 'brown fox')).toBe('red fox');
    expect(standsOn(before, now, 'brown')).toBe('lost');
  });

  it('are as before when the first document comes back', () => {
    const before = talk(...texts);
    const other = talk('We met at the river in May.', 'Nobody brought the red box with him, I think.');
    const again = copyOf(before);
    for (const words of ['the river in', 'brown fox', 'fox along', 'had brought the brown', 'May.']) {
      const first = carry(before, other, at(before, words), words);
      const from = first.fate === 'kept' ? other : before;
      const anchor = first.fate === 'kept' ? first.anchor : at(before, words);
      const back = run(carryAnchors(from, again, 3, [{ anchor, quote: words }]))[0];
      if (back?.fate !== 'kept') throw new Error(`${words}: ${back?.fate}`);
      const [found] = stretchesOf(again, [back.anchor]);
      expect(flat(again).slice(found?.from, found?.to)).toBe(words);
    }
  });

  it('do not take the same words elsewhere', () => {
    const before = talk('One two three. Thank you. Four five six.', 'Seven eight nine. Thank you. Ten.');
    const now = talk('One two three. Four five six.', 'Seven eight nine. Thank you. Ten.');
    expect(standsOn(before, now, 'Thank you')).toBe('lost');
  });

  it('work without blanks between words', () => {
    const before = talk('我们在河边见面。没有人带狐狸。');
    const now = talk('那么，我们在河边见面，没有人带来狐狸。');
    expect(standsOn(before, now, '河边见面')).toBe('河边见面');
    expect(standsOn(before, now, '人带狐狸')).toBe('人带来狐狸');
  });
});

describe('matching words', () => {
  const words = (text: string) => text.split(' ');
  const matched = (one: string, other: string) => [...run(matchWords(words(one), words(other)))];

  it('pairs equal words in order, and nothing else', () => {
    expect(matched('a b c d e', 'a b x d e')).toEqual([0, 1, -1, 3, 4]);
    expect(matched('a b c', 'x y z')).toEqual([-1, -1, -1]);
    expect(matched('p q r s t u', 's t u p q r').filter((one) => one >= 0)).toHaveLength(3);
  });

  it('compares little where long transcripts are nearly the same, and pauses meanwhile', () => {
    let state = 7;
    const word = () => `w${(state = (state * 48_271) % 2_147_483_647) % 900}`;
    const old = Array.from({ length: 30_000 }, word);
    const now = old.flatMap((word, i) => (i % 10 === 3 ? [`x${i % 50}`] : i % 97 === 0 ? [] : [word]));
    const work = matchWords(old, now);
    let pauses = 0;
    let step = work.next();
    for (; !step.done; step = work.next()) pauses += 1;
    const kept = [...step.value].filter((one) => one >= 0).length;
    expect(kept).toBeGreaterThan(26_000);
    expect(pauses).toBeGreaterThan(10);
    const pairs = [...step.value.entries()].filter(([, j]) => j >= 0);
    expect(pairs.every(([i, j]) => old[i] === now[j])).toBe(true);
  });
});
