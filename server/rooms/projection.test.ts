import { afterEach, expect, test, vi } from 'vitest';
import * as Y from 'yjs';
import { writeSeed } from '#shared/meetings/seed.ts';
import { setSpeaker, textOf } from '#shared/meetings/transcript.ts';
import type { House } from '../context.ts';
import { foldTitle, startProjections } from './projection.ts';
import { project } from './whole-works.ts';

afterEach(() => void vi.useRealTimers());

test.each([
  { title: 'Interview  4', key: 'interview 4' },
  { title: ' Éclair\tÜber ', key: 'eclair uber' },
  { title: 'ЁЖ', key: 'еж' },
  { title: '会议（一）', key: '会议(一)' },
  { title: 'ﬁnal', key: 'final' },
  { title: 'a'.repeat(500), key: 'a'.repeat(200) },
])('“$title” is sorted and found as “$key”', ({ title, key }) => {
  expect(foldTitle(title)).toBe(key);
});

const talk = () => {
  const doc = new Y.Doc();
  writeSeed(
    doc,
    {
      about: { title: 'Talk' },
      speakers: ['a', 'b', 'silent'].map((id, i) => ({ id, name: id, color: i, sortId: i })),
      segments: [
        {
          id: 's1',
          speaker: 'a',
          words: [
            { w: 'Shall', f: 1, t: 1.5 },
            { w: 'we?', f: 1.5, t: 2 },
          ],
        },
        { id: 's2', speaker: 'b', words: [{ w: 'Yes.', f: 2, t: 63.25 }] },
        { id: 's3', speaker: 'silent', words: [] },
      ],
    },
    'test',
  );
  doc.clientID += 1;
  return doc;
};

test('a projection has the number of words, of speakers with words, and the end of the last word', () => {
  expect(project(talk())).toEqual({
    title: 'Talk',
    words: 3,
    speakers: 2,
    spokenMs: 63_250,
    lanes: `-23${'7'.repeat(77)}`,
    opening: 'Shall we? Yes.',
    firstText: {
      title: 'Talk',
      lang: '',
      segments: [
        { name: 'a', color: 0, turn: true, text: 'Shall we?' },
        { name: 'b', color: 1, turn: true, text: 'Yes.' },
        { name: 'silent', color: 2, turn: true, text: '' },
      ],
    },
  });
});

test('a projection counts the current text, not the seed', () => {
  const doc = talk();
  setSpeaker(doc, 's2', 'one', 'a', 'test');
  textOf(doc).insert(textOf(doc).length, 'Good, then.');
  expect(project(doc)).toMatchObject({ words: 5, speakers: 2 });
  textOf(doc).delete(0, textOf(doc).length);
  expect(project(doc)).toMatchObject({ title: 'Talk', words: 0, speakers: 0, spokenMs: 0, lanes: '', opening: '' });
});

test('the projection of an empty document is empty', () => {
  expect(project(new Y.Doc())).toMatchObject({ title: '', words: 0, speakers: 0, spokenMs: 0, lanes: '', opening: '' });
  expect(project(new Y.Doc()).firstText).toEqual({ title: '', lang: '', segments: [] });
});

test.each([
  { title: 'a\0b', shown: 'a\uFFFDb' },
  { title: 'a\uD800b', shown: 'a\uFFFDb' },
  { title: 'a'.repeat(501), shown: 'a'.repeat(500) },
  { title: `${'a'.repeat(499)}😀`, shown: `${'a'.repeat(499)}\uFFFD` },
])('a title set over the wire becomes one that the database can store: $shown', ({ title, shown }) => {
  const doc = new Y.Doc();
  doc.getMap('about').set('title', title);
  expect(project(doc).title).toBe(shown);
});

test('reading a damaged room stops after some attempts, until the room changes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  const room = { name: 'm/transcript', part: 'transcript', generation: 1, lastSeq: 1, mends: 0 };
  const sql = Object.assign(() => Promise.resolve([{ meetingId: 'm', part: 'transcript', ownerId: null }]), {
    unsafe: () => '',
  });
  const read = vi.fn<() => Promise<never>>(() => Promise.reject(new Error('no')));
  const log = { warn: () => {} };
  const projections = startProjections({
    rooms: { all: () => [{ room }] },
    documents: { long: () => Promise.resolve(null), read },
    db: { sql },
    log,
    config: { serves: { jobs: false } },
  } as unknown as House);
  const pass = () => vi.advanceTimersByTimeAsync(600_000);
  await pass();
  expect(read).toHaveBeenCalledTimes(5);
  room.lastSeq += 1;
  await pass();
  expect(read).toHaveBeenCalledTimes(10);
  await projections.stop();
});
