import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { readAbout, writeAbout } from './about.ts';
import { appendHeard, appendTranscript, paragraphsOf, type HeardSegment } from './heard.ts';
import { seedState } from './seed.ts';
import { addSpeaker, readSpeakers, renameSpeaker } from './speakers.ts';
import { readSegments, replaceRanges, textOf } from './transcript.ts';
import { readWords } from './words.ts';

const said = (text: string, from = 0, speaker: string | null = null): HeardSegment => ({
  speaker,
  words: text.split(' ').map((word, i) => ({ text: word, from: from + i * 500, to: from + i * 500 + 400 })),
});
const textsOf = (doc: Y.Doc) => readSegments(doc).map(({ text }) => text);
const paragraphs = (...segments: HeardSegment[]) =>
  paragraphsOf(segments).map(({ words }) => words.map(({ text }) => text).join(' '));

describe('paragraphs', () => {
  test('begin with another speaker and behind a pause, not with each segment of an engine', () => {
    expect(paragraphs(said('one two'), said('three', 1000), said('four', 3400))).toEqual(['one two three', 'four']);
    expect(paragraphs(said('one', 0, 'A'), said('two', 500, 'B'))).toEqual(['one', 'two']);
  });

  test('of long speech end with a sentence, or after a minute', () => {
    const long = Array.from({ length: 70 }, (_, i) => (i === 64 ? 'end.' : 'word')).join(' ');
    expect(paragraphs(said(long)).map((text) => text.split(' ').length)).toEqual([65, 5]);
    const endless = Array.from({ length: 130 }, () => 'word').join(' ');
    expect(paragraphs(said(endless)).map((text) => text.split(' ').length)).toEqual([120, 10]);
  });
});

describe('a recognised piece', () => {
  test('is appended with its times, whatever the earlier text became', () => {
    const doc = new Y.Doc();
    expect(appendHeard(doc, [said('one two')], 'test')).toBe(2);
    replaceRanges(doc, [{ at: 1, remove: 3, insert: ['ONE'] }], 'test');
    appendHeard(doc, [said('three four', 9000)], 'test');
    expect(textsOf(doc)).toEqual(['ONE two', 'three four']);
    const times = readWords(doc).segments.map(({ words }) => words.map(({ text, from }) => `${text} ${from}`));
    expect(times).toEqual([
      ['ONE 0', 'two 500'],
      ['three 9000', 'four 9500'],
    ]);
    expect(appendHeard(doc, [], 'test')).toBe(0);
    textOf(doc).delete(0, textOf(doc).length);
    appendHeard(doc, [said('five')], 'test');
    expect(textsOf(doc)).toEqual(['five']);
  });

  test('follows text that is typed at the end at the same time', () => {
    for (let round = 0; round < 30; round += 1) {
      const doc = new Y.Doc();
      appendHeard(doc, [said('one two')], 'test');
      const other = new Y.Doc();
      Y.applyUpdate(other, Y.encodeStateAsUpdate(doc));
      textOf(other).insert(textOf(other).length, ' and more');
      appendHeard(doc, [said('three', 9000)], 'test');
      Y.applyUpdate(doc, Y.encodeStateAsUpdate(other));
      Y.applyUpdate(other, Y.encodeStateAsUpdate(doc));
      expect(textsOf(doc)).toEqual(['one two and more', 'three']);
      expect(textsOf(other)).toEqual(textsOf(doc));
    }
  });

  test('adds its own speakers, distinct from those of the piece before', () => {
    const doc = new Y.Doc();
    appendHeard(doc, [said('yes', 0, 'A'), said('no', 600, 'B')], 'test');
    const [first] = readSpeakers(doc);
    renameSpeaker(doc, first?.id ?? '', 'Ann', 'test');
    appendHeard(doc, [said('well', 9000, 'A')], 'test');
    expect(readSpeakers(doc).map(({ name }) => name)).toEqual(['Ann', 'Speaker 2', 'Speaker 3']);
    const names = new Map(readSpeakers(doc).map(({ id, name }) => [id, name]));
    expect(readSegments(doc).map(({ speaker }) => names.get(speaker))).toEqual(['Ann', 'Speaker 2', 'Speaker 3']);
  });

  test('of a script without blanks gets none', () => {
    const doc = new Y.Doc();
    appendHeard(doc, [{ speaker: null, words: said('我们 开始').words }], 'test');
    expect(textsOf(doc)).toEqual(['我们开始']);
  });
});

describe('another transcript', () => {
  const state = () =>
    seedState({
      about: { title: 'Theirs', lang: 'en-US' },
      speakers: [
        { id: 'a', name: 'Ann', color: 0, sortId: 0 },
        { id: 'b', name: 'Ben', color: 1, sortId: 1 },
      ],
      segments: [
        { id: 's1', speaker: 'a', words: [{ w: 'Hello', f: 1, t: 1.5, estimated: true }] },
        { id: 's2', speaker: 'b', words: [{ w: 'there', f: 2, t: 2.5, c: true }], text: 'there!' },
      ],
    });

  test('is appended to the text, which stays as it was edited', () => {
    const doc = new Y.Doc();
    writeAbout(doc, { title: 'Ours' }, 'test');
    addSpeaker(doc, 'x', 'Chen', 'test');
    addSpeaker(doc, 'y', ' ann ', 'test');
    textOf(doc).insert(0, 'Notes');
    const before = Y.encodeStateVector(doc);
    appendTranscript(doc, state(), 'test');
    expect(textsOf(doc)).toEqual(['Notes', 'Hello', 'there!']);
    expect(readAbout(doc)).toEqual({ title: 'Ours', lang: '' });
    // Speakers of an existing name are reused; colours and order of new ones follow.
    expect(readSpeakers(doc)).toEqual([
      expect.objectContaining({ id: 'x', name: 'Chen' }),
      expect.objectContaining({ id: 'y' }),
      { id: 'b', name: 'Ben', color: 2, sortId: 3 },
    ]);
    expect(readSegments(doc).map(({ speaker }) => speaker)).toEqual(['', 'y', 'b']);
    const [, one, two] = readWords(doc).segments.map(({ words }) => words[0]);
    expect(one).toMatchObject({ text: 'Hello', from: 1000, to: 1500, estimated: true });
    expect(two).toMatchObject({ text: 'there!', from: 2000, to: 2500 });
    // Existing text is untouched: the update has only insertions under one new id.
    const update = Y.decodeUpdate(Y.encodeStateAsUpdate(doc, before));
    expect(new Set(update.structs.map(({ id }) => id.client)).size).toBe(1);
    expect(update.ds.clients.size).toBe(0);
  });

  test('follows text that is typed at the end at the same time', () => {
    const doc = new Y.Doc();
    textOf(doc).insert(0, 'Notes');
    const other = new Y.Doc();
    Y.applyUpdate(other, Y.encodeStateAsUpdate(doc));
    textOf(other).insert(5, ' and more');
    appendTranscript(doc, state(), 'test');
    Y.applyUpdate(doc, Y.encodeStateAsUpdate(other));
    expect(textsOf(doc)).toEqual(['Notes and more', 'Hello', 'there!']);
  });
});
