import { getSchema } from '@tiptap/core';
import type { Node } from '@tiptap/pm/model';
import { EditorState } from '@tiptap/pm/state';
import type { EditorView } from '@tiptap/pm/view';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as Y from 'yjs';
import { writeSeed } from '#shared/meetings/seed.ts';
import { readSegments, replaceRanges, textOf } from '#shared/meetings/transcript.ts';

import { nodes, render } from './schema.ts';
import { Words } from './words.ts';

const schema = getSchema(nodes);
let frames: (() => void)[];

beforeEach(() => {
  frames = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.stubGlobal('requestAnimationFrame', (frame: () => void) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => {
    frames = [];
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
const nextFrame = () => frames.splice(0).forEach((frame) => frame());
const painted = () => vi.runAllTimers();

/** One word a second; each segment follows the one before. */
function opened(...texts: string[]) {
  const doc = new Y.Doc();
  let second = 0;
  const segments = texts.map((text, i) => ({
    id: `s${i}`,
    speaker: i % 2 === 0 ? 'ann' : 'ben',
    words: text.split(' ').map((w) => ({ w, f: (second += 1), t: second + 0.5 })),
  }));
  writeSeed(doc, { speakers: [], segments }, 'seed');
  const words = new Words(doc);
  const close = words.open();
  let state = EditorState.create({ schema, doc: render(schema, readSegments(doc)) });
  const view = {
    get state() {
      return state;
    },
  } as EditorView;
  words.show(view);
  nextFrame();
  painted();
  return {
    doc,
    words,
    close,
    shown: (): Node => state.doc,
    /** Draws the editor anew from the text. */
    draw: () => (state = EditorState.create({ schema, doc: render(schema, readSegments(doc)) })),
    /** Edits the editor only, as during a composition. */
    type: (text: string, at: number, to = at) => (state = state.apply(state.tr.insertText(text, at, to))),
  };
}

type Opened = ReturnType<typeof opened>;

/** Text that the editor shows for the word at a time. */
function at({ words, shown }: Opened, ms: number): string | null {
  const place = words.wordAt(ms);
  const stretch = place && words.stretch(place.segment, place.word, place.word);
  return stretch && shown().textBetween(stretch.from, stretch.to);
}

describe('from a time to a position and back', () => {
  it.each([
    [900, null],
    [1_200, 'I'],
    [1_700, 'I'],
    [3_100, 'putting'],
    [5_000, 'Why'],
    [60_000, 'not'],
  ])('%i ms: %s', (ms, expected) => {
    expect(at(opened('I keep putting off', 'Why not'), ms)).toBe(expected);
  });

  it('each position has the time of its word, a blank that of the word before', () => {
    const { words } = opened('I keep', 'Why not');
    const times = Array.from({ length: 18 }, (_, pos) => words.timeAt(pos));
    expect(times).toEqual([1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 3].map((s) => s * 1000));
  });

  it('a text without timings has no times', () => {
    const doc = new Y.Doc();
    replaceRanges(doc, [{ at: 0, remove: 0, insert: [{ s: 'a', p: '' }, 'written'] }], 'test');
    const words = new Words(doc);
    expect([words.timed, words.wordAt(1_000)]).toEqual([false, null]);
  });
});

describe('while the editor and the text differ', () => {
  it('a composition moves only the words after it', () => {
    const here = opened('I keep putting off', 'Why not');
    here.type('ни', 8);
    expect(here.shown().textContent).toBe('I keep ниputting offWhy not');
    expect([1, 2, 4, 5, 6].map((second) => at(here, second * 1_000 + 100))).toEqual(['I', 'keep', 'off', 'Why', 'not']);
    expect(here.words.timeAt(here.shown().content.size - 1)).toBe(6_000);
  });

  it('a word deleted in the editor has no position, the others keep theirs', () => {
    const here = opened('I keep putting off');
    here.type('', 3, 8);
    expect([1, 2, 3].map((second) => at(here, second * 1_000 + 100))).toEqual(['I', null, 'putting']);
  });

  it('a segment not shown yet has no position, later ones keep theirs', () => {
    const here = opened('I keep', 'Why not');
    replaceRanges(here.doc, [{ at: 3, remove: 0, insert: [{ s: 'new', p: 'ben' }] }], 'somebody else');
    expect(here.words.reading().segments.map(({ id }) => id)).toEqual(['s0', 'new', 's1']);
    expect(at(here, 2_100)).toBeNull();
    expect(at(here, 4_100)).toBe('not');
    here.draw();
    expect(at(here, 2_100)).toBe('keep');
  });
});

it('an edit is read once on demand and emitted once after the paint', () => {
  const { doc, words, close } = opened('I keep putting off');
  const heard = vi.fn<() => void>();
  words.subscribe(heard);
  const before = words.reading();
  for (let i = 0; i < 5; i += 1) textOf(doc).insert(1, 'x');
  expect(frames).toHaveLength(1);
  const now = words.reading();
  expect(now).not.toBe(before);
  expect(words.reading()).toBe(now);
  nextFrame();
  expect(heard).not.toHaveBeenCalled();
  painted();
  expect(heard).toHaveBeenCalledTimes(1);
  textOf(doc).insert(1, 'y');
  nextFrame();
  close();
  painted();
  expect(heard).toHaveBeenCalledTimes(1);
  textOf(doc).insert(1, 'z');
  expect(frames).toHaveLength(0);
  // After the subscription ended, `reading` reads the document anew each time.
  expect(words.reading().segments[0]?.text).toBe('zyxxxxxI keep putting off');
});

describe('words with times', () => {
  it('are counted between two positions, without those that were typed', () => {
    const { doc, words } = opened('one two three', 'four five');
    // Flat positions count a boundary before each segment as one character.
    expect(words.timedWords(1, 14)).toBe(3);
    expect(words.timedWords(5, 24)).toBe(4);
    expect(words.timedWords(2, 8)).toBe(1);
    expect(words.timedWords(3, 3)).toBe(0);
    replaceRanges(doc, [{ at: 5, remove: 3, insert: ['one more time'] }], 'test');
    expect(words.timedWords(1, 24)).toBe(2);
  });
});
