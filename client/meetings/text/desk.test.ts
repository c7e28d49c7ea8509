import { beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import {
  addSpeaker,
  mergeSpeakers,
  readSpeakers,
  recolorSpeaker,
  removeSpeaker,
  renameSpeaker,
  writeSpeakers,
} from '#shared/meetings/speakers.ts';
import { readSegments, replaceRanges, type Piece } from '#shared/meetings/transcript.ts';
import { TranscriptBinding } from './binding.ts';
import { SpeakerDesk } from './desk.ts';

let doc: Y.Doc;
let binding: TranscriptBinding;
let desk: SpeakerDesk;

const speakers = () =>
  readSegments(doc)
    .map(({ speaker }) => speaker || '-')
    .join('');

/** One segment a letter, spoken by that speaker; a dash is a segment without a speaker. */
function open(ids: string): void {
  doc = new Y.Doc();
  const text = [...ids].flatMap((p, i): Piece[] => (p === '-' ? ['words'] : [{ s: `s${i}`, p }, 'words']));
  replaceRanges(doc, [{ at: 0, remove: 0, insert: text }], 'seed');
  binding = new TranscriptBinding(doc);
  desk = new SpeakerDesk();
}

beforeEach(() => open('abcaba'));

describe('changing the speaker of a segment', () => {
  it('changes it at once and offers the speaker’s other segments', () => {
    desk.give(binding, 's3', 'c');
    expect(speakers()).toBe('abccba');
    expect(desk.now().offer).toEqual({ segmentId: 's3', from: 'a', to: 'c', following: 1, all: 2 });
  });

  it.each([
    ['one', 'abccba'],
    ['following', 'abccbc'],
    ['all', 'cbccbc'],
  ] as const)('widened to %s: %s', (scope, wanted) => {
    desk.give(binding, 's3', 'c');
    desk.widen(binding, scope);
    expect(speakers()).toBe(wanted);
    expect(desk.now().offer).toBeNull();
  });

  it('undoes step by step and keeps the changes of others', () => {
    desk.give(binding, 's3', 'c');
    desk.widen(binding, 'all');
    doc.transact(() => doc.getMap('segments').set('s1', { p: 'c' }), 'somebody else');
    binding.undo();
    expect(speakers()).toBe('acccba');
    binding.undo();
    expect(speakers()).toBe('accaba');
  });

  it('offers nothing if the speaker has no other segments', () => {
    desk.give(binding, 's2', 'a');
    expect(speakers()).toBe('abaaba');
    expect(desk.now().offer).toBeNull();
  });

  it('does nothing for the same speaker or a missing segment', () => {
    let changes = 0;
    doc.on('update', () => (changes += 1));
    desk.give(binding, 's0', 'a');
    desk.give(binding, 'gone', 'a');
    expect([changes, desk.now().offer]).toEqual([0, null]);
  });

  it('widens to the remaining segments after the segment was deleted', () => {
    desk.give(binding, 's3', 'c');
    const at = readSegments(doc)[3]?.start ?? 0;
    replaceRanges(doc, [{ at: at - 1, remove: 6, insert: [] }], 'somebody else');
    desk.widen(binding, 'following');
    expect(speakers()).toBe('abcba');
  });

  it('also changes the speaker of text before the first boundary', () => {
    open('-aa');
    desk.give(binding, null, 'b');
    expect(speakers()).toBe('baa');
    open('-aba');
    desk.give(binding, 's1', 'b');
    expect(desk.now().offer).toMatchObject({ following: 1, all: 1 });
  });
});

describe('changes to the list of speakers', () => {
  const listed = () => readSpeakers(doc).map(({ id, name, color }) => `${id} ${name} ${color}`);
  const step = (write: (origin: unknown) => unknown) => binding.asOne(() => write(binding));
  beforeEach(() => {
    const speaker = (id: string, i: number) => ({ id, name: id.toUpperCase(), color: i, sortId: i });
    writeSpeakers(doc, ['a', 'b', 'c'].map(speaker), 'seed');
  });

  it('undoes and redoes as a whole and keeps the changes of others', () => {
    step((origin) => mergeSpeakers(doc, 'a', 'b', origin));
    expect([speakers(), listed()]).toEqual(['bbcbbb', ['b B 1', 'c C 2']]);
    renameSpeaker(doc, 'c', 'Chen', 'somebody else');
    doc.transact(() => doc.getMap('segments').set('s1', { p: 'c' }), 'somebody else');
    binding.undo();
    expect([speakers(), listed()]).toEqual(['accaba', ['a A 0', 'b B 1', 'c Chen 2']]);
    binding.redo();
    expect([speakers(), listed()]).toEqual(['bccbbb', ['b B 1', 'c Chen 2']]);
    binding.undo();
    expect([speakers(), listed()]).toEqual(['accaba', ['a A 0', 'b B 1', 'c Chen 2']]);
  });

  it('makes adding, colouring and removing one undo step each', () => {
    step((origin) => addSpeaker(doc, 'd', 'D', origin));
    step((origin) => recolorSpeaker(doc, 'd', 1, origin));
    step((origin) => removeSpeaker(doc, 'd', origin));
    const before = ['a A 0', 'b B 1', 'c C 2'];
    expect(listed()).toEqual(before);
    binding.undo();
    expect(listed()).toEqual([...before, 'd D 1']);
    binding.undo();
    expect(listed()).toEqual([...before, 'd D 3']);
    binding.undo();
    expect(listed()).toEqual(before);
  });
});

it('hides and shows speakers on this page only', () => {
  const before = Y.encodeStateVector(doc);
  desk.hide('a', true);
  desk.hide('b', true);
  desk.hide('a', false);
  expect([...desk.now().hidden]).toEqual(['b']);
  desk.showAll();
  expect(desk.now().hidden.size).toBe(0);
  expect(Y.encodeStateVector(doc)).toEqual(before);
});

it('closes the offer when a list opens, and the list when it is answered', () => {
  desk.give(binding, 's3', 'c');
  desk.ask('s0');
  expect(desk.now()).toMatchObject({ offer: null, asked: { segmentId: 's0', at: null } });
  desk.answered();
  expect(desk.now().asked).toBeNull();
});
