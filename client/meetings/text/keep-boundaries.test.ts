import { getSchema } from '@tiptap/core';
import { EditorState, TextSelection, type Plugin, type Transaction } from '@tiptap/pm/state';
import { beforeEach, describe, expect, it } from 'vitest';
import * as Y from 'yjs';
import { merge, readSegments, replaceRanges, type Piece } from '#shared/meetings/transcript.ts';
import { TranscriptBinding } from './binding.ts';
import { mergeBackward, mergeForward, splitSegment } from './commands.ts';
import { nodes, render } from './schema.ts';
import { keepBoundaries } from './keep-boundaries.ts';

const schema = getSchema(nodes);

class Seat {
  readonly doc = new Y.Doc();
  readonly binding = new TranscriptBinding(this.doc, { check: () => true });
  refusals = 0;
  state: EditorState;

  constructor(guarded: boolean) {
    const text = ['one two', 'three', 'four'].flatMap((said, i): Piece[] => [{ s: `s${i}`, p: 'a' }, said]);
    replaceRanges(this.doc, [{ at: 0, remove: 0, insert: text }], 'seed');
    const plugins: Plugin[] = [this.binding.plugin()];
    if (guarded) plugins.push(keepBoundaries(() => (this.refusals += 1)));
    this.state = EditorState.create({ doc: render(schema, readSegments(this.doc)), plugins });
    this.binding.attach(this);
  }

  dispatch = (tr: Transaction): void => {
    this.state = this.state.applyTransaction(tr).state;
    this.binding.write();
  };

  select(from: number, to = from): void {
    this.dispatch(this.state.tr.setSelection(TextSelection.create(this.state.doc, from, to)));
  }

  get texts(): string[] {
    return readSegments(this.doc).map(({ text }) => text);
  }
}

const whole = ['one two', 'three', 'four'];
// The first segment spans 1 to 8, the second 10 to 15.
const joining: [string, (seat: Seat) => void][] = [
  ['Backspace at the beginning', (seat) => (seat.select(10), mergeBackward(seat.state, seat.dispatch))],
  ['Delete at the end', (seat) => (seat.select(8), mergeForward(seat.state, seat.dispatch))],
  ['deleting across', (seat) => (seat.select(5, 12), seat.dispatch(seat.state.tr.deleteSelection()))],
  ['typing over a selection', (seat) => (seat.select(5, 12), seat.dispatch(seat.state.tr.insertText('x')))],
  ['deleting a whole segment', (seat) => seat.dispatch(seat.state.tr.delete(9, 16))],
];
const apart: [string, (seat: Seat) => void, string[]][] = [
  ['typing', (seat) => seat.dispatch(seat.state.tr.insertText('x', 1)), ['xone two', 'three', 'four']],
  ['emptying one', (seat) => seat.dispatch(seat.state.tr.delete(10, 15)), ['one two', '', 'four']],
  ['splitting', (seat) => (seat.select(4), splitSegment(seat.state, seat.dispatch)), ['one', ' two', 'three', 'four']],
];

describe('while some speakers are hidden', () => {
  let seat: Seat;
  beforeEach(() => {
    seat = new Seat(true);
  });

  it.each(joining)('%s is refused and reported', (_what, act) => {
    act(seat);
    expect([seat.texts, seat.refusals, seat.state.doc.childCount]).toEqual([whole, 1, 3]);
  });

  it.each(apart)('%s still works', (_what, act, texts) => {
    act(seat);
    expect([seat.texts, seat.refusals, seat.binding.repairs]).toEqual([texts, 0, 0]);
  });

  it('others can still join segments', () => {
    merge(seat.doc, 's1', 'somebody else');
    expect([seat.state.doc.childCount, seat.refusals, seat.binding.repairs]).toEqual([2, 0, 0]);
  });

  it('a split can be undone', () => {
    seat.select(4);
    splitSegment(seat.state, seat.dispatch);
    seat.binding.undo();
    expect([seat.texts, seat.state.doc.childCount, seat.refusals]).toEqual([whole, 3, 0]);
  });
});

describe('while all speakers are shown', () => {
  it.each(joining)('%s joins', (_what, act) => {
    const seat = new Seat(false);
    act(seat);
    expect(seat.texts.length).toBe(2);
  });
});
