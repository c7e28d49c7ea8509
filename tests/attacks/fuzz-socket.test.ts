// Row G22 against a real server: mutants over a real socket to a real database.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as Y from 'yjs';
import { Chance } from '#tests/sim/chance.ts';
import { openSync, type Raw, type TestSync } from '#tests/support/door.ts';
import { stored } from '#tests/support/editors.ts';
import { mutant, record, withoutLength } from './fuzz.ts';

const count = 400;

let sync: TestSync;
beforeAll(async () => {
  sync = await openSync();
});
afterAll(() => sync.close());

test(
  `G22 ${count} mutants over a socket: every document loads, and other people notice nothing`,
  { timeout: 300_000 },
  async () => {
    const [owner, mallory] = [await sync.person(), await sync.person()];
    const room = `${await sync.meeting()}/transcript`;
    const recording = record(3);
    // The first half is in the document already, by its author; the attacker changes all of it.
    const ann = await (await sync.join(owner, room, 'saved=1')).sync();
    for (const update of recording.log.slice(0, recording.log.length >> 1)) Y.applyUpdate(ann.doc, update);
    const witness = await (await sync.join(await sync.person(), room)).sync();
    const [meeting = ''] = room.split('/');

    const chance = new Chance(4711);
    let socket: Raw | null = null;
    let sockets = 0;
    for (let sent = 0; sent < count + withoutLength.length; sent += 1) {
      if (!socket || socket.code !== null) {
        socket = await sync.join(mallory, room, 'saved=1');
        sockets += 1;
        expect(socket.code).toBeNull();
      }
      socket.ws.send(withoutLength[sent - count] ?? mutant(recording, chance));
      // The next one may be meant for a line that is closed for this one.
      if (chance.happens(0.8)) await socket.beat();
    }
    await socket?.beat();
    // Many sockets of the attacker were closed, and none of the others.
    expect(sockets).toBeGreaterThan(count / 4);
    expect([ann.code, witness.code]).toEqual([null, null]);
    const about = sync.events.filter(({ fields }) => fields['user'] === owner).map(({ name }) => name);
    expect(about).toEqual([]);
    expect(sync.events.map(({ name }) => name)).not.toContain('a message threw');

    const before = ann.count('saved');
    ann.doc.getText('text').insert(0, 'still here');
    await ann.until(() => ann.count('saved') > before);
    await witness.until(() => witness.doc.getText('text').toString().startsWith('still here'));
    const { doc } = await stored(sync.sql, room);
    const newcomer = await (await sync.join(await sync.person(), room)).sync();
    const served = await sync.rooms.read(meeting, 'transcript', { userId: null }, (held) => Y.snapshot(held));
    const again = new Y.Doc();
    Y.applyUpdate(again, Y.encodeStateAsUpdate(doc));
    for (const one of [ann.doc, witness.doc, newcomer.doc, again]) {
      expect([one.store.pendingStructs, one.store.pendingDs]).toEqual([null, null]);
      expect(one.getText('text').toDelta()).toEqual(doc.getText('text').toDelta());
    }
    expect(Y.equalSnapshots(served, Y.snapshot(doc))).toBe(true);
  },
);
