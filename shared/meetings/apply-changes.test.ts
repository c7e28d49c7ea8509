import { describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { writeAbout, writeTags } from './about.ts';
import { applyChanges, seenBy } from './apply-changes.ts';
import { placesOf, saidIn } from './anchors.ts';
import { readEntries, readHighlights, writeEntries } from './entries.ts';
import { readPlain } from './plain.ts';
import { writeSeed } from './seed.ts';
import { readSpeakers, replaceSpeakers, writeSpeakers } from './speakers.ts';
import { readSegments, textOf } from './transcript.ts';
import { readWords } from './words.ts';
import { readChanges } from './writing.ts';

function start(): Y.Doc {
  const seeded = new Y.Doc();
  const words = (text: string) => text.split(' ').map((w, i) => ({ w, f: i, t: i + 1 }));
  writeSeed(
    seeded,
    {
      about: { title: 'Interview' },
      tags: ['one'],
      speakers: ['ann', 'ben'].map((id, i) => ({ id, name: id.toUpperCase(), color: i, sortId: i })),
      segments: [
        { id: 's0', speaker: 'ann', words: words('one two') },
        { id: 's1', speaker: 'ben', words: words('three') },
      ],
    },
    'seed',
  );
  return twin(seeded);
}
function twin(doc: Y.Doc): Y.Doc {
  const other = new Y.Doc();
  Y.applyUpdate(other, Y.encodeStateAsUpdate(doc));
  return other;
}
const changesOf = (meeting: Record<string, unknown>) => {
  const { changes, wrong } = readChanges(meeting);
  expect(wrong).toEqual([]);
  return changes;
};
/** Applies changes to a document as it was seen before `meanwhile`. */
function put(doc: Y.Doc, meeting: Record<string, unknown>, meanwhile: (doc: Y.Doc) => unknown = () => {}) {
  const changes = changesOf(meeting);
  const seen = seenBy(twin(doc), changes);
  meanwhile(doc);
  return applyChanges(doc, 1, changes, seen, 'test');
}

describe('highlights that a program sets by times', () => {
  const bare = { id: 'h', start: 0, end: 3, color: 'green' };
  /** Segments "one two" and "three", a word a second. */
  const spoken = () => {
    const doc = new Y.Doc();
    const segments = [['one', 'two'], ['three']].map((words, i) => ({
      id: `s${i}`,
      speaker: 'ann',
      words: words.map((w, j) => ({ w, f: 2 * i + j, t: 2 * i + j + 1 })),
    }));
    writeSeed(doc, { speakers: [{ id: 'ann', name: 'Ann', color: 0, sortId: 0 }], segments }, 'seed');
    return twin(doc);
  };
  const places = (doc: Y.Doc) => {
    const reading = readWords(doc);
    return placesOf(doc, reading, 1, readHighlights(doc)).map(
      (place) => place && [place.by, saidIn(reading, place.from, place.to).quote],
    );
  };

  test('are anchored to the words, over any number of segments, and move with them', () => {
    const doc = spoken();
    expect(put(doc, { highlights: [{ ...bare, start: 1, end: 2 }] })).toEqual([]);
    expect(readHighlights(doc)).toMatchObject([{ start: 1, end: 2, quote: 'two', color: 'green' }]);
    textOf(doc).insert(5, 'and ');
    textOf(doc).insert(11, 'n');
    expect(places(doc)).toEqual([['anchor', 'twno']]);

    const another = spoken();
    expect(put(another, { highlights: [bare, { ...bare, id: 'i', start: 2.5 }] })).toEqual([]);
    expect(places(another)).toEqual([
      ['anchor', 'one two three'],
      ['anchor', 'three'],
    ]);
  });

  test('keep quotes and anchors a program sends, and are the same when sent back', () => {
    const doc = spoken();
    put(doc, { highlights: [{ ...bare, quote: 'three' }] });
    expect(readHighlights(doc)).toMatchObject([{ quote: 'three', anchor: null }]);
    put(doc, { highlights: [bare] });
    const read = readEntries(doc, 'highlights');
    expect(read).toMatchObject([{ anchor: { g: 1 } }]);
    expect(put(doc, { highlights: read })).toEqual([]);
    expect(readEntries(doc, 'highlights')).toEqual(read);
    // A repeated request, as after a lost response, is no conflict.
    const changes = changesOf({ highlights: [bare] });
    const before = seenBy(spoken(), changes);
    expect(applyChanges(doc, 1, changes, before, 'test')).toEqual([]);
  });

  test('are stored as they are if nothing was spoken then', () => {
    const doc = new Y.Doc();
    expect(put(doc, { highlights: [bare] })).toEqual([]);
    expect(readEntries(doc, 'highlights')).toEqual([bare]);
  });
});

describe('entries beside the text', () => {
  test('that two people add at the same time both stay, and fields are changed independently', () => {
    const doc = start();
    writeEntries(doc, 'toc', [{ id: 'a', start: 1, title: 'Beginning' }], 'test');
    const other = twin(doc);
    writeEntries(
      doc,
      'toc',
      [
        { id: 'a', start: 2, title: 'Beginning' },
        { id: 'b', start: 5 },
      ],
      'test',
    );
    writeEntries(
      other,
      'toc',
      [
        { id: 'a', start: 1, title: 'Hello' },
        { id: 'c', start: 9 },
      ],
      'test',
    );
    for (const [from, to] of [
      [doc, other],
      [other, doc],
    ] as const)
      Y.applyUpdate(to, Y.encodeStateAsUpdate(from));
    const entries = readEntries(doc, 'toc').toSorted((one, next) => (one.id < next.id ? -1 : 1));
    expect(entries).toEqual([
      { id: 'a', start: 2, title: 'Hello' },
      { id: 'b', start: 5 },
      { id: 'c', start: 9 },
    ]);
    expect(readEntries(other, 'toc')).toEqual(expect.arrayContaining(entries));
  });

  test('are removed if missing, and nothing is written without a difference', () => {
    const doc = start();
    const entries = [{ id: 'a', start: 1, more: { deep: [1, 2] } }];
    writeEntries(doc, 'highlights', [...entries, { id: 'b' }], 'test');
    writeEntries(doc, 'highlights', entries, 'test');
    expect(readEntries(doc, 'highlights')).toEqual(entries);
    let updates = 0;
    doc.on('update', () => (updates += 1));
    writeEntries(doc, 'highlights', entries, 'test');
    expect(updates).toBe(0);
  });
});

describe('speakers', () => {
  const rows: [what: string, list: ReturnType<typeof readSpeakers>, staying: string[], names: string[]][] = [
    [
      'renamed',
      [
        { id: 'ann', name: ' Anna  B. ', color: 0, sortId: 0 },
        { id: 'ben', name: 'BEN', color: 1, sortId: 1 },
      ],
      [],
      ['Anna B.', 'BEN'],
    ],
    [
      'added',
      [0, 1, 2].map((i) => ({ id: ['ann', 'ben', 'new'][i] ?? '', name: `n${i}`, color: i, sortId: i })),
      [],
      ['n0', 'n1', 'n2'],
    ],
    [
      'in another order',
      [
        { id: 'ann', name: 'ANN', color: 0, sortId: 9 },
        { id: 'ben', name: 'BEN', color: 1, sortId: 1 },
      ],
      [],
      ['BEN', 'ANN'],
    ],
    ['who speak stay', [], ['ann', 'ben'], ['ANN', 'BEN']],
  ];
  for (const [what, list, staying, names] of rows)
    test(what, () => {
      const doc = start();
      expect(replaceSpeakers(doc, list, 'test')).toEqual(staying);
      expect(readSpeakers(doc).map(({ name }) => name)).toEqual(names);
    });

  test('without segments are removed', () => {
    const doc = start();
    writeSpeakers(doc, [{ id: 'chen', name: 'Chen', color: 2, sortId: 2 }], 'test');
    expect(
      replaceSpeakers(
        doc,
        readSpeakers(doc).filter(({ id }) => id !== 'chen'),
        'test',
      ),
    ).toEqual([]);
    expect(readSpeakers(doc).map(({ id }) => id)).toEqual(['ann', 'ben']);
  });
});

describe('changes', () => {
  test('of all kinds are written at once', () => {
    const doc = start();
    let updates = 0;
    doc.on('update', () => (updates += 1));
    const refused = put(doc, {
      title: 'Another',
      'doc.tags': ['two'],
      'doc.bookmarks': [{ start: 3 }],
      'doc.transcript.speakers': [{ id: 'ann', name: 'Ann' }, { name: 'New' }],
      'doc.transcript.segments': [{ id: 's0', text: 'one two three' }],
    });
    expect(refused).toEqual([]);
    expect(updates).toBe(1);
    const { title, tags, bookmarks, transcript } = readPlain(doc);
    expect({ title, tags, bookmarks }).toEqual({
      title: 'Another',
      tags: ['two'],
      bookmarks: [{ id: expect.any(String), start: 3 }],
    });
    expect(transcript.segments).toMatchObject([{ id: 's0', speaker: 'ann', text: 'one two three' }]);
    expect(transcript.speakers.map(({ name, color }) => [name, color])).toEqual([
      ['Ann', 0],
      ['New', 1],
    ]);
  });

  const clashes: [what: string, meeting: Record<string, unknown>, meanwhile: (doc: Y.Doc) => unknown, path: string][] =
    [
      ['a title', { title: 'Mine' }, (doc) => writeAbout(doc, { title: 'Theirs' }, 'test'), 'title'],
      ['tags', { tags: ['mine'] }, (doc) => writeTags(doc, ['theirs'], 'test'), 'tags'],
      ['highlights', { highlights: [] }, (doc) => writeEntries(doc, 'highlights', [{ id: 'a' }], 'test'), 'highlights'],
      [
        'speakers',
        {
          transcript: {
            speakers: [
              { id: 'ann', name: 'Mine' },
              { id: 'ben', name: 'BEN' },
            ],
          },
        },
        (doc) =>
          replaceSpeakers(
            doc,
            readSpeakers(doc).map((one) => ({ ...one, name: 'Theirs' })),
            'test',
          ),
        'transcript.speakers',
      ],
      [
        'one speaker’s name',
        { 'transcript.speakers[0].name': 'Mine' },
        (doc) =>
          replaceSpeakers(
            doc,
            readSpeakers(doc).map((one) => ({ ...one, name: 'Theirs' })),
            'test',
          ),
        'transcript.speakers[0].name',
      ],
      [
        'one segment’s text',
        { 'transcript.segments[0].text': 'mine' },
        (doc) => textOf(doc).insert(1, 'theirs '),
        'transcript.segments[0].text',
      ],
      [
        'the segments',
        { 'doc.transcript.segments': [] },
        (doc) => textOf(doc).insert(1, 'theirs '),
        'transcript.segments[0]',
      ],
    ];
  for (const [what, meeting, meanwhile, path] of clashes)
    test(`are refused where somebody else has changed the same: ${what}`, () => {
      const doc = start();
      expect(put(doc, meeting, meanwhile)).toEqual([{ path, why: 'changed' }]);
      const theirs = start();
      meanwhile(theirs);
      expect(readPlain(doc)).toEqual(readPlain(theirs));
      // Concurrent changes of something else are no conflict.
      const other = start();
      const elsewhere = (one: Y.Doc) =>
        what === 'a title' ? writeTags(one, ['x'], 'test') : writeAbout(one, { title: 'x' }, 'test');
      expect(put(other, meeting, elsewhere)).toEqual([]);
    });

  test('are refused for unknown things', () => {
    const doc = start();
    expect(put(doc, { 'transcript.segments[5].text': 'a', 'transcript.segments[0].speaker': 'nobody' })).toEqual([
      { path: 'transcript.segments[0].speaker', why: 'unknown' },
      { path: 'transcript.segments[5].text', why: 'unknown' },
    ]);
    expect(put(doc, { transcript: { speakers: [] } })).toEqual([{ path: 'transcript.speakers', why: 'active' }]);
    expect(readSegments(doc)).toHaveLength(2);
  });

  test('use the changed one if text and words of a segment disagree', () => {
    const words = (list: string[]) => list.map((w, i) => ({ w, f: i, t: i + 1 }));
    const said = (segment: object) => {
      const doc = start();
      expect(put(doc, { 'doc.transcript.segments': [{ id: 's0', ...segment }, { id: 's1' }] })).toEqual([]);
      return readSegments(doc)[0]?.text;
    };
    expect(said({ text: 'one too', words: words(['one', 'two']) })).toBe('one too');
    expect(said({ text: 'one two', words: words(['one', 'too']) })).toBe('one too');
    expect(said({ words: words(['one', 'too']) })).toBe('one too');
    expect(said({})).toBe('one two');
  });
});
