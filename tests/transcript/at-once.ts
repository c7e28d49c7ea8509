import * as Y from 'yjs';
import type { Model, Peer, Place, Shown } from './peer.ts';

// Edits that two people make to one passage at the same time, without seeing each other's.

const beginning: Shown[] = [
  { id: 'a', speaker: 'ann', text: 'one two' },
  { id: 'b', speaker: 'ann', text: 'six ten' },
];
const place = (segment: number, offset: number): Place => ({ segment, offset });
const split = (peer: Peer) => peer.split(place(0, 4));
const merge = (peer: Peer) => peer.merge(1, true);

interface AtOnce {
  name: string;
  one(this: void, peer: Peer): void;
  other(this: void, peer: Peer): void;
  /** The texts of the segments in which every character is where it belongs. */
  wanted: string[];
}

export const scenarios: AtOnce[] = [
  {
    name: 'a split beside typing in the tail',
    one: split,
    other: (peer) => peer.type(place(0, 7), '!'),
    wanted: ['one ', 'two!', 'six ten'],
  },
  {
    name: 'a merge beside typing in the second',
    one: merge,
    other: (peer) => peer.type(place(1, 3), '!'),
    wanted: ['one two six! ten'],
  },
  {
    name: 'a split beside a deletion in the tail',
    one: split,
    other: (peer) => peer.erase(place(0, 4), place(0, 7)),
    wanted: ['one ', '', 'six ten'],
  },
  { name: 'the same split twice', one: split, other: split, wanted: ['one ', '', 'two', 'six ten'] },
  { name: 'the same merge twice', one: merge, other: merge, wanted: ['one two  six ten'] },
  {
    name: 'a paste of three paragraphs beside typing behind it',
    one: (peer) => peer.paste(place(0, 4), place(0, 4), ['x', 'y', 'z']),
    other: (peer) => peer.type(place(0, 7), '!'),
    wanted: ['one x', 'y', 'ztwo!', 'six ten'],
  },
];

/** Lets both edit, then exchanges their updates; returns the text each of them sees, and what is wrong. */
export function atOnce(model: Model, { one, other }: AtOnce): { shown: string[][]; wrong: (string | null)[] } {
  const start = model.start(beginning);
  const [ann, ben] = [model.peer(10, start), model.peer(11, start)];
  one(ann);
  other(ben);
  const [mine, theirs] = [Y.encodeStateAsUpdate(ann.doc), Y.encodeStateAsUpdate(ben.doc)];
  Y.applyUpdate(ann.doc, theirs);
  Y.applyUpdate(ben.doc, mine);
  return {
    shown: [ann, ben].map((peer) => peer.shown().map(({ text }) => text)),
    wrong: [ann.wrong(), ben.wrong()],
  };
}
