import * as Y from 'yjs';
import { describe, expect, it } from 'vitest';
import { addTag, readAbout, readTags, removeTag, writeAbout, writeTags } from './about.ts';
import { analyse } from './analytics.ts';
import { checkWords, findDoubts, nextDoubt } from './doubts.ts';
import { plainReader, readPlain, type PlainSegment } from './plain.ts';
import { seedState, type Seed, type WireWord } from './seed.ts';
import {
  addSpeaker,
  mergeSpeakers,
  readSpeakers,
  recolorSpeaker,
  removeSpeaker,
  moveSpeaker,
  renameSpeaker,
  writeSpeakers,
} from './speakers.ts';
import { setSpeaker, textOf } from './transcript.ts';
import { readWords } from './words.ts';

const words: WireWord[] = [
  { w: 'Well', f: 0.123, t: 0.5, confidence: 0.3, m: true },
  { w: ',', f: 0.5, t: 0.5, p: true },
  { w: 'maybe', f: 1, t: 1.4, confidence: 0.59, c: true },
  { w: 'not', f: 1.5, t: 1.9, confidence: 0.95, j: true },
];
const seed: Seed = {
  about: { title: 'Weekly', lang: 'en-US' },
  tags: ['plans'],
  speakers: [
    { id: 'p1', name: 'Ann', color: 0, sortId: 1 },
    { id: 'p2', name: 'Ben', color: 1, sortId: 2 },
  ],
  segments: [
    { id: 's1', speaker: 'p1', words },
    { id: 's2', speaker: 'p2', words: [{ w: 'Why?', f: 2.5, t: 3, confidence: 0.2 }] },
  ],
};

function open(from: Seed = seed): Y.Doc {
  const doc = new Y.Doc();
  Y.applyUpdate(doc, seedState(from));
  return doc;
}

/** Exchanges all changes of both documents. */
function meet(a: Y.Doc, b: Y.Doc): void {
  Y.applyUpdate(a, Y.encodeStateAsUpdate(b));
  Y.applyUpdate(b, Y.encodeStateAsUpdate(a));
}

describe('the document as JSON', () => {
  it('has the words as they came over the wire', () => {
    const { transcript, ...rest } = readPlain(open());
    expect(transcript.segments).toEqual([
      { id: 's1', speaker: 'p1', start: 0.123, end: 1.9, text: 'Well, maybe not', words },
      { id: 's2', speaker: 'p2', start: 2.5, end: 3, text: 'Why?', words: seed.segments[1]?.words },
    ]);
    expect(transcript.speakers).toEqual(seed.speakers);
    expect(rest).toEqual({
      title: 'Weekly',
      lang: 'en-US',
      tags: ['plans'],
      toc: [],
      bookmarks: [],
      highlights: [],
      summary: [],
      preferredOutcomesSchema: null,
      preferredOutcomesModel: null,
    });
    expect(JSON.parse(JSON.stringify(readPlain(open())))).toEqual(readPlain(open()));
  });

  it('is the same after it was written as a seed', () => {
    const { transcript, title, lang, tags } = readPlain(open());
    const again = open({
      about: { title, lang },
      tags,
      speakers: transcript.speakers,
      segments: transcript.segments.map((segment) => ({ ...segment, id: segment.id ?? '' })),
    });
    expect(readPlain(again)).toEqual(readPlain(open()));
  });

  it('creates only changed segments anew', () => {
    const doc = open();
    const read = plainReader(doc);
    const [one, two] = read().transcript.segments;
    setSpeaker(doc, 's2', 'one', 'p1', 'me');
    const after = read().transcript.segments;
    expect(after[0]).toBe(one);
    expect(after[1]).toEqual({ ...two, speaker: 'p1' });
    expect(after[1]?.words).toBe(two?.words);
    textOf(doc).insert(3, 'x');
    expect(read().transcript.segments[1]).toBe(after[1]);
    expect(read().transcript.segments[0]?.text).toBe('Wexll, maybe not');
  });

  it('survives any value a peer may put into the maps', () => {
    const doc = open();
    for (const root of [
      'speakers',
      'about',
      'tags',
      'toc',
      'bookmarks',
      'highlights',
      'summary',
      'checked',
      'segments',
      'timings',
    ])
      for (const [key, value] of Object.entries({
        a: 1,
        title: {},
        s1: 'x',
        b: null,
        c: [1],
        d: { name: 7, color: Number.NaN },
      }))
        doc.getMap(root).set(key, value);
    textOf(doc).insertEmbed(0, { s: 7 });
    textOf(doc).insertEmbed(0, { p: 'p1' });
    expect(readPlain(doc).transcript.segments.map(({ text }) => text)).toEqual(['', '', 'Well, maybe not', 'Why?']);
    expect(readPlain(doc).transcript.speakers).toHaveLength(8);
    expect(readPlain(doc).title).toBe('');
  });

  it.each<[string, WireWord[], string | undefined, string]>([
    ['a text that has words more', [{ w: 'yes', f: 1, t: 2 }], '“Yes” - yes!', 'yes'],
    [
      'a text that has the words',
      [
        { w: 'a', f: 1, t: 2 },
        { w: 'b', f: 2, t: 3 },
      ],
      '- a\u3000 b!',
      '- a\u3000 b!',
    ],
    ['a text of other words', [{ w: 'a', f: 1, t: 2 }], 'other words', 'a'],
    ['blanks in a word', [{ w: ' New \n York ', f: 1, t: 2 }], undefined, 'New York'],
    [
      'an empty word',
      [
        { w: '', f: 1, t: 2 },
        { w: 'b', f: 2, t: 3 },
      ],
      undefined,
      'b',
    ],
    ['half a character', [{ w: 'a\uD800', f: 1, t: 2 }], undefined, 'a\uFFFD'],
    [
      'times that are none',
      [
        { w: 'a', f: Number.NaN, t: -5 },
        { w: 'b', f: 7, t: 3 },
      ],
      undefined,
      'a b',
    ],
  ])('is made of %s', (_, list, text, made) => {
    const doc = open({
      speakers: [],
      segments: [{ id: 's', speaker: 'p', words: list, ...(text === undefined ? {} : { text }) }],
    });
    const [segment] = readPlain(doc).transcript.segments;
    expect(segment?.text).toBe(made);
    for (const { f, t } of segment?.words ?? []) expect(t >= f && f >= 0).toBe(true);
  });
});

describe('speakers', () => {
  it('are added in the least used colour, renamed and recoloured', () => {
    const doc = open();
    expect(addSpeaker(doc, 'p3', '  Cy \n N. ', 'me')).toBeNull();
    expect(renameSpeaker(doc, 'p1', 'Anna', 'me')).toBeNull();
    expect(recolorSpeaker(doc, 'p1', 4, 'me')).toBeNull();
    expect(readSpeakers(doc)).toEqual([
      { id: 'p1', name: 'Anna', color: 4, sortId: 1 },
      { id: 'p2', name: 'Ben', color: 1, sortId: 2 },
      { id: 'p3', name: 'Cy N.', color: 2, sortId: 3 },
    ]);
  });

  it('are put in another order, also where some share a number', () => {
    const doc = open();
    addSpeaker(doc, 'p3', 'Cy', 'me');
    const order = () => readSpeakers(doc).map(({ id }) => id);
    expect(moveSpeaker(doc, 'p3', -1, 'me')).toBeNull();
    expect(order()).toEqual(['p1', 'p3', 'p2']);
    expect(moveSpeaker(doc, 'p1', 1, 'me')).toBeNull();
    expect(order()).toEqual(['p3', 'p1', 'p2']);
    expect(moveSpeaker(doc, 'p3', -1, 'me')).toBeNull();
    expect(moveSpeaker(doc, 'p2', 1, 'me')).toBeNull();
    expect(order()).toEqual(['p3', 'p1', 'p2']);
    expect(moveSpeaker(doc, 'nobody', 1, 'me')).toBe('unknown');
    const same = new Y.Doc();
    writeSpeakers(
      same,
      ['a', 'b', 'c'].map((id) => ({ id, name: id, color: 0, sortId: 0 })),
      'me',
    );
    moveSpeaker(same, 'c', -1, 'me');
    expect(readSpeakers(same).map(({ id }) => id)).toEqual(['a', 'c', 'b']);
  });

  it('keep concurrent changes of two people', () => {
    const [a, b] = [open(), new Y.Doc()];
    meet(a, b);
    renameSpeaker(a, 'p1', 'Anna', 'me');
    recolorSpeaker(b, 'p1', 3, 'me');
    meet(a, b);
    expect(readSpeakers(a)[0]).toEqual({ id: 'p1', name: 'Anna', color: 3, sortId: 1 });
    expect(readSpeakers(b)).toEqual(readSpeakers(a));
  });

  it.each<[string, (doc: Y.Doc) => string | null, string]>([
    ['an active one is removed', (doc) => removeSpeaker(doc, 'p1', 'me'), 'active'],
    ['nobody is removed', (doc) => removeSpeaker(doc, 'p9', 'me'), 'unknown'],
    ['nobody is renamed', (doc) => renameSpeaker(doc, 'p9', 'x', 'me'), 'unknown'],
    ['one gets no name', (doc) => renameSpeaker(doc, 'p1', '  ', 'me'), 'nameless'],
    ['a nameless one is added', (doc) => addSpeaker(doc, 'p3', ' ', 'me'), 'nameless'],
    ['one is merged into itself', (doc) => mergeSpeakers(doc, 'p1', 'p1', 'me'), 'unknown'],
    ['one is merged into nobody', (doc) => mergeSpeakers(doc, 'p1', 'p9', 'me'), 'unknown'],
  ])('nothing is written when %s', (_, act, refusal) => {
    const doc = open();
    doc.on('update', () => {
      throw new Error('written');
    });
    expect(act(doc)).toBe(refusal);
  });

  it('can be removed without segments, and merged into another', () => {
    const doc = open();
    setSpeaker(doc, 's1', 'one', 'p2', 'me');
    expect(removeSpeaker(doc, 'p1', 'me')).toBeNull();
    writeSpeakers(doc, [{ id: 'p3', name: 'Cy', color: 2, sortId: 3 }], 'me');
    let updates = 0;
    doc.on('update', () => (updates += 1));
    expect(mergeSpeakers(doc, 'p2', 'p3', 'me')).toBeNull();
    expect(updates).toBe(1);
    expect(readPlain(doc).transcript.segments.map(({ speaker }) => speaker)).toEqual(['p3', 'p3']);
    expect(readSpeakers(doc).map(({ id }) => id)).toEqual(['p3']);
  });
});

describe('title and tags', () => {
  it('are written only if they differ', () => {
    const doc = open();
    doc.on('update', () => {
      throw new Error('written');
    });
    writeAbout(doc, { title: ' Weekly ', lang: 'en-US' }, 'me');
    writeTags(doc, ['plans'], 'me');
    expect(addTag(doc, 'PLANS', 'me')).toBe(false);
    expect(addTag(doc, ' ', 'me')).toBe(false);
    expect(removeTag(doc, 'none', 'me')).toBe(false);
  });

  it('keep concurrent additions of two people', () => {
    const [a, b] = [open(), new Y.Doc()];
    meet(a, b);
    addTag(a, 'zebra', 'me');
    addTag(b, ' a  thing ', 'me');
    removeTag(b, 'plans', 'me');
    writeAbout(a, { title: 'Monday' }, 'me');
    writeAbout(b, { lang: 'ru-RU' }, 'me');
    meet(a, b);
    expect(readTags(a)).toEqual(['a thing', 'zebra']);
    expect(readTags(b)).toEqual(readTags(a));
    expect(readAbout(a)).toEqual({ title: 'Monday', lang: 'ru-RU' });
  });
});

describe('words to check', () => {
  const told = (doc: Y.Doc) => {
    const reading = readWords(doc);
    return findDoubts(doc, reading).map(({ segment, word, at, confidence }) => [
      reading.segments[segment]?.words[word]?.text,
      at,
      confidence,
    ]);
  };

  it('are those below the threshold, until they are changed or checked, for everybody', () => {
    const doc = open();
    expect(told(doc)).toEqual([
      ['Well', 1, 0.3],
      ['maybe', 7, 0.59],
      ['Why?', 17, 0.2],
    ]);
    textOf(doc).insert(2, 'x');
    expect(told(doc).map(([text]) => text)).toEqual(['maybe', 'Why?']);
    const maybe = readWords(doc).segments[0]?.words.filter(({ text }) => text === 'maybe') ?? [];
    checkWords(doc, maybe, true, 'me');
    const other = new Y.Doc();
    Y.applyUpdate(other, Y.encodeStateAsUpdate(doc));
    expect(told(other).map(([text]) => text)).toEqual(['Why?']);
    checkWords(doc, maybe, false, 'me');
    expect(told(doc).map(([text]) => text)).toEqual(['maybe', 'Why?']);
  });

  it.each([
    [0, 1, 1],
    [1, 1, 7],
    [17, 1, 1],
    [17, -1, 7],
    [0, -1, 17],
  ] as const)('from %i by %i: %i', (at, step, next) => {
    const doc = open();
    expect(nextDoubt(findDoubts(doc, readWords(doc)), at, step)?.at).toBe(next);
    expect(nextDoubt([], at, step)).toBeNull();
  });
});

describe('analytics of a conversation', () => {
  const said = (speaker: string, start: number, end: number, text: string): PlainSegment => ({
    id: `${start}`,
    speaker,
    start,
    end,
    text,
    words: text.split(' ').map((w) => ({ w, f: start, t: end })),
  });

  it('have time, turns and pace of each speaker, and silence', () => {
    const { speakers, duration, silence, overTime } = analyse(
      [
        said('a', 0, 10, 'one two three four five ?'),
        said('a', 10, 20, 'Really? Why?'),
        said('b', 15, 25, 'No. 什么？'),
        said('a', 40, 50, 'well'),
      ],
      { parts: 5 },
    );
    expect(speakers).toEqual([
      { speaker: 'a', talk: 30, share: 0.75, turns: 2, longestTurn: 20, words: 8, pace: 16, questions: 3 },
      { speaker: 'b', talk: 10, share: 0.25, turns: 1, longestTurn: 10, words: 2, pace: 12, questions: 1 },
    ]);
    expect([duration, silence]).toEqual([50, 15]);
    expect(overTime.map(({ talk }) => talk)).toEqual([{ a: 10 }, { a: 10, b: 5 }, { b: 5 }, {}, { a: 10 }]);
  });

  it('are empty without speech, and count the silence of the whole recording if its length is known', () => {
    expect(analyse([])).toEqual({ speakers: [], duration: 0, silence: 0, overTime: [] });
    expect(analyse([said('a', 10, 20, 'x')], { length: 100 })).toMatchObject({ duration: 100, silence: 90 });
    expect(analyse([said('a', 5, 5, 'x')]).speakers[0]).toMatchObject({ talk: 0, share: 0, pace: 0 });
  });
});
