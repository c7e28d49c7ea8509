// Outcomes of a room by their authors: what is read after changes is what a reader finds that has read nothing before.
import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { dropAnnotation, rootOf, writeAnnotation, type Outcome } from '#shared/meetings/annotations.ts';
import { Chance } from '#tests/sim/chance.ts';
import { OutcomesReader } from './outcomes.ts';

const outcome = (id: string, author: string, start: number, type = 'trust'): Outcome => ({
  ...{ id, rev: 1, private: false, createdAt: '2026-11-29T10:00:00.000Z', editTimestamp: null },
  ...{ start, end: start + 1, quote: 'so', anchor: null, author: { id: author, kind: 'user', name: author } },
  ...{ type, text: '', grade: 2, children: [], automatic: false, wasAutomatic: false, url: null },
});
const write = (doc: Y.Doc, one: Outcome) => writeAnnotation(doc, 'outcome', one, 'shared', 'test');
const again = (doc: Y.Doc): Y.Doc => {
  const made = new Y.Doc();
  Y.applyUpdate(made, Y.encodeStateAsUpdate(doc));
  return made;
};

test('random changes are read as by a reader that has read nothing, also in a document that was built anew', () => {
  const chance = new Chance(4711);
  const among = (count: number) => chance.between(0, count - 1);
  let doc = new Y.Doc();
  const reader = new OutcomesReader();
  for (let nth = 0; nth < 400; nth += 1) {
    const id = `o${among(40)}`;
    if (chance.happens(0.3)) dropAnnotation(doc, 'outcome', id, 'shared', 'test');
    else if (chance.happens(0.1)) doc.getMap(rootOf.outcome).set(id, { id: 'another' });
    else write(doc, outcome(id, `a${among(4)}`, among(50), `t${among(3)}`));
    if (chance.happens(0.1)) doc = again(doc);
    if (chance.happens(0.5)) expect(reader.read(doc)).toEqual(new OutcomesReader().read(doc));
  }
  for (const [id] of doc.getMap(rootOf.outcome)) dropAnnotation(doc, 'outcome', id, 'shared', 'test');
  expect(reader.read(doc)).toEqual(new Map());
});

test('a change makes the list of its author anew, and no other', () => {
  const doc = new Y.Doc();
  for (const [id, author, start] of [
    ['1', 'ann', 5],
    ['2', 'ben', 3],
    ['3', 'ann', 1],
  ] as const)
    write(doc, outcome(id, author, start));
  const reader = new OutcomesReader();
  const before = reader.read(doc);
  expect(before.get('ann')?.outcomes.map(({ id }) => id)).toEqual(['3', '1']);
  write(doc, outcome('4', 'ann', 2));
  const after = reader.read(again(doc));
  expect(after.get('ann')?.outcomes.map(({ id }) => id)).toEqual(['3', '4', '1']);
  expect(after.get('ann')?.outcomes[0]).toBe(before.get('ann')?.outcomes[0]);
  expect(after.get('ben')).toBe(before.get('ben'));
  expect(reader.read(doc)).toBe(after);
});
