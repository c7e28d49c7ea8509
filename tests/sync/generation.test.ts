// R8, R9: what the server writes, and a new generation of a document (sync/SPEC.md).
import * as Y from 'yjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparisons } from '#sync/server/trial.ts';
import { Hub, openSync, type TestSync } from '../support/door.ts';
import { countConflicts, tangledText } from '../support/tangled.ts';

let here: TestSync;
let there: TestSync;
beforeAll(async () => {
  const hub = new Hub();
  here = await openSync({ hub });
  there = await openSync({ hub, database: here.fresh });
});
afterAll(async () => {
  await there.close();
  await here.close();
});

const by = { userId: 'ann', origin: 'test' };
const seedOf = (text: string): Uint8Array => {
  const doc = new Y.Doc();
  doc.getText('text').insert(0, text);
  return Y.encodeStateAsUpdate(doc);
};

describe('R9: a new generation', () => {
  it('replaces the old document everywhere; clients with the old one are not let in with it', async () => {
    const meeting = await here.meeting();
    const room = `${meeting}/transcript`;
    const ann = await (await here.join('ann', room, 'saved=1')).sync();
    ann.doc.getText('text').insert(0, 'old words');
    await ann.until(() => ann.count('saved') > 0);
    const ben = await (await there.join('ben', room)).sync();
    expect(ben.doc.getText('text').toString()).toBe('old words');
    expect(await here.rooms.renew(meeting, 'transcript', by, seedOf('new words'))).toEqual({
      generation: 2,
      mends: 0,
      left: 1,
      base: 1,
    });
    expect(await Promise.all([ann.ended, ben.ended])).toEqual([4409, 4409]);

    const stale = await there.join('ann', room, 'saved=1&generation=1');
    expect(await stale.ended).toBe(4409);
    expect(stale.count('state')).toBe(0);
    const late = await (await there.join('ben', room, 'generation=2')).sync();
    expect(late.doc.getText('text').toString()).toBe('new words');
    const kept = await here.sql`select 1 from room_updates where room = ${room} and generation = 1`;
    expect(kept.length).toBeGreaterThan(0);

    // G25: a copy of the old document, edited, from a client that tells no generation.
    const eve = await here.join('eve', room);
    await eve.until(() => eve.count('ask') > 0);
    eve.send({ kind: 'state', update: Y.encodeStateAsUpdate(ben.doc) });
    expect(await eve.ended).toBe(4403);
    expect(await here.rooms.read(meeting, 'transcript', by, (doc) => doc.getText('text').toString())).toBe('new words');
  });

  it('begins with nothing that does not belong in a document', async () => {
    const meeting = await here.meeting();
    const doc = new Y.Doc();
    doc.getMap('evil').set('k', 1);
    await expect(here.rooms.renew(meeting, 'transcript', by, Y.encodeStateAsUpdate(doc))).rejects.toThrow('root');
  });
});

describe('R8: what the server writes', () => {
  it('is durable when it is done, and many at two processes all count', async () => {
    const meeting = await here.meeting();
    const done = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        (i % 2 ? here : there).rooms.change(meeting, 'outcomes', by, (doc) => {
          doc.getMap('outcomes').set(`o${i}`, { text: `outcome ${i}` });
          return i;
        }),
      ),
    );
    expect(done).toEqual(Array.from({ length: 20 }, (_, i) => i));
    const fresh = await openSync({ database: here.fresh });
    const stored = await fresh.rooms.read(meeting, 'outcomes', by, (doc) => doc.getMap('outcomes').size);
    await fresh.close();
    expect(stored).toBe(20);
  });

  it('leaves no trace if it fails, and nobody notices', async () => {
    const meeting = await here.meeting();
    const rob = await (await here.join('rob', `${meeting}/comments`)).sync();
    await here.rooms.change(meeting, 'comments', by, (doc) => doc.getMap('comments').set('c1', 'kept'));
    const failing = here.rooms.change(meeting, 'comments', by, (doc) => {
      doc.getMap('comments').set('c1', 'half done');
      throw new Error('no permission');
    });
    await expect(failing).rejects.toThrow('no permission');
    const peeking = here.rooms.read(meeting, 'comments', by, (doc) => doc.getMap('comments').set('c2', 'sneaked in'));
    await expect(peeking).rejects.toThrow('may not write');
    await here.rooms.change(meeting, 'comments', by, (doc) => doc.getMap('comments').set('c3', 'also'));
    await rob.until(() => rob.doc.getMap('comments').has('c3'));
    expect(rob.doc.getMap('comments').toJSON()).toEqual({ c1: 'kept', c3: 'also' });
    expect(rob.code).toBeNull();
  });
});

describe('G16: a document that costs too much to build', () => {
  it('is built from other bytes at the first keystroke, with the same text for everybody', async () => {
    const meeting = await here.meeting();
    const room = `${meeting}/transcript`;
    await here.rooms.change(meeting, 'transcript', by, (doc) => Y.applyUpdate(doc, tangledText(1100)));
    (await here.rooms.enter(meeting, 'transcript', null)).room.drop('test', 1012);

    const typists = new Set<Y.Doc>();
    const conflicts = countConflicts((doc) => typists.has(doc));
    const ann = await here.join('ann', room, 'saved=1');
    typists.add(ann.doc);
    await ann.sync();
    ann.doc.getText('text').insert(700, 'ann');
    await ann.until(() => ann.count('saved') > 0);
    await here.rooms.change(meeting, 'transcript', by, (doc) => doc.getText('text').insert(1100, 'house'));
    (await here.rooms.enter(meeting, 'transcript', null)).room.drop('test', 1012);
    const read = await here.rooms.read(meeting, 'transcript', by, (doc) => doc.getText('text').toString());
    expect(conflicts()).toBe(0);

    expect(read).toContain('ann');
    expect(read).toContain('house');
    const ben = await (await there.join('ben', room)).sync();
    expect(ben.doc.getText('text').toString()).toBe(read);
    expect(here.events.filter(({ name }) => name === 'not untangled')).toEqual([]);
  });

  it('is cured by restoring a version: the same characters in the same places', async () => {
    const meeting = await here.meeting();
    const room = `${meeting}/transcript`;
    await here.rooms.change(meeting, 'transcript', by, (doc) => Y.applyUpdate(doc, tangledText(1100)));
    const ann = await (await here.join('ann', room)).sync();
    const before = Y.encodeStateAsUpdate(ann.doc);
    const text = ann.doc.getText('text');
    const marked = Y.createRelativePositionFromTypeIndex(text, 700);
    expect(comparisons([before], Infinity)).toBeGreaterThan(1_000_000);
    await here.rooms.renew(meeting, 'transcript', by, before, { origin: { generation: 1, seq: 1 } });
    expect(await ann.ended).toBe(4409);

    const ben = await (await there.join('ben', room, 'generation=2&saved=1')).sync();
    expect(ben.doc.getText('text').toString()).toBe(text.toString());
    expect(Y.createAbsolutePositionFromRelativePosition(marked, ben.doc)?.index).toBe(700);
    const { room: live } = await there.rooms.enter(meeting, 'transcript', null);
    expect(comparisons(live.stored, Infinity)).toBe(0);
    ben.doc.getText('text').insert(700, 'more');
    await ben.until(() => ben.count('saved') > 0);
    expect(here.events.filter(({ name }) => name === 'not untangled')).toEqual([]);
  });
});
