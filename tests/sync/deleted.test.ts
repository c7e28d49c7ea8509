// Deleted text is sent to people with the permission `history` and to nobody else.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Permission } from '#shared/roles.ts';
import type { SharedFrames } from '#sync/server/session.ts';
import { Hub, openSync, type Raw, type TestSync } from '../support/door.ts';

const editor: readonly Permission[] = ['read', 'comment', 'write', 'history'];
const viewer: readonly Permission[] = ['read', 'comment'];
const canary = 'canary';

let sync: TestSync;
beforeAll(async () => {
  sync = await openSync();
});
afterAll(() => sync.close());

/** All bytes of documents that a socket has received. */
const bytesOf = ({ heard }: Raw): Buffer =>
  Buffer.concat(heard.flatMap((frame) => (frame.kind === 'state' || frame.kind === 'update' ? [frame.update] : [])));
const textOf = ({ doc }: Raw): string => doc.getText('text').toString();

/** A room in which a canary was typed and deleted, and one that was in the stored snapshot. */
async function roomWithDeleted(of: TestSync = sync, filling = ''): Promise<{ meeting: string; ann: Raw; ben: string }> {
  const meeting = await of.meeting();
  const [user, ben] = [await of.person(), await of.person()];
  of.rights.set(user, new Set(editor));
  of.rights.set(ben, new Set(viewer));
  const ann = await (await of.join(user, `${meeting}/transcript`, 'saved=1')).sync();
  ann.doc.getText('text').insert(0, `what was said ${canary}-stored${filling}`);
  await saved(ann, 1);
  const { room } = await of.rooms.enter(meeting, 'transcript', user);
  const stored = () => of.sql`select 1 from room_snapshots where room = ${room.name}`;
  while ((await stored()).length === 0) await room.compact();
  ann.doc.getText('text').delete(14, `${canary}-stored`.length);
  ann.doc.getText('text').insert(0, `${canary}-typed `);
  ann.doc.getText('text').delete(0, `${canary}-typed `.length);
  await saved(ann, 4);
  return { meeting, ann, ben };
}
const saved = (raw: Raw, count: number) =>
  raw.until(() => raw.heard.some((frame) => frame.kind === 'saved' && frame.count >= count));

describe('H1 deleted text', () => {
  test('reaches an editor, and nobody who reads, comments or has a link, as newcomer or coming back', async () => {
    const { meeting, ann, ben } = await roomWithDeleted();
    const room = `${meeting}/transcript`;
    const chen = await sync.person();
    sync.rights.set(chen, new Set(editor));
    const second = await (await sync.join(chen, room)).sync();
    expect(bytesOf(second).includes(`${canary}-typed`)).toBe(true);
    expect(bytesOf(second).includes(`${canary}-stored`)).toBe(true);
    sync.rights.set('', new Set(['read']));
    for (const who of [ben, null]) {
      const reader = await (await sync.join(who, room)).sync();
      expect(textOf(reader)).toBe(textOf(ann));
      // Asks again with what it has, and as one that has a part of it.
      await reader.sync();
      reader.send({ kind: 'ask', stateVector: Uint8Array.of(1, ...varUint(ann.doc.clientID), 5) });
      await reader.until(() => reader.count('state') > 2);
      expect(bytesOf(reader).includes(canary)).toBe(false);
    }
    sync.rights.delete('');
  });

  test('is not in what a reader gets of a long document, which is made beside the event loop', async () => {
    const { meeting, ann, ben } = await roomWithDeleted(sync, ' and more'.repeat(9000));
    const reader = await (await sync.join(ben, `${meeting}/transcript`)).sync();
    expect(textOf(reader)).toBe(textOf(ann));
    expect(bytesOf(reader).includes(canary)).toBe(false);
  });

  test('is in what a reader is passed on as it is typed, and nothing is lost or doubled while a reader waits', async () => {
    const { meeting, ann, ben } = await roomWithDeleted(sync, ' and more'.repeat(9000));
    const there = await (await sync.join(ben, `${meeting}/transcript`)).sync();
    ann.doc.getText('text').insert(0, `live-${canary} `);
    await there.until(() => textOf(there).startsWith(`live-${canary}`));
    ann.doc.getText('text').delete(0, 5);
    // Deleted at the server, too, before the others come: until then they may read it.
    await there.until(() => textOf(there).startsWith(canary));
    const come = Array.from({ length: 5 }, () => sync.join(ben, `${meeting}/transcript`));
    const readers = await Promise.all(come);
    for (const reader of readers)
      for (let i = 0; i < 2; i += 1) reader.send({ kind: 'ask', stateVector: Uint8Array.of(0) });
    for (let i = 0; i < 20; i += 1) {
      ann.doc.getText('text').insert(i % 7, `${i} `);
      if (i % 3 === 0) ann.doc.getText('text').delete(i % 5, 2);
      await sleep(2);
    }
    for (const reader of [...readers, there]) await reader.until(() => textOf(reader) === textOf(ann));
    for (const reader of readers) {
      expect(bytesOf(reader).includes('live-')).toBe(false);
      expect(reader.doc.store.pendingStructs).toBeNull();
      await reader.until(() => reader.count('state') === 2);
    }
  });

  test('is not in what a process finds in the log that nobody told it of', async () => {
    const hub = new Hub();
    const [here, there] = [
      await openSync({ hub, database: sync.fresh }),
      await openSync({ hub, database: sync.fresh }),
    ];
    const { meeting, ann, ben } = await roomWithDeleted(here);
    there.rights.set(ben, new Set(viewer));
    const chen = await there.person();
    there.rights.set(chen, new Set(editor));
    const reader = await (await there.join(ben, `${meeting}/transcript`)).sync();
    const second = await (await there.join(chen, `${meeting}/transcript`)).sync();
    hub.cut = true;
    ann.doc.getText('text').insert(0, `late-${canary} `);
    await saved(ann, 5);
    ann.doc.getText('text').delete(0, `late-${canary} `.length);
    await saved(ann, 6);
    ann.doc.getText('text').insert(0, 'later ');
    await saved(ann, 7);
    for (const one of [reader, second]) await one.until(() => textOf(one).startsWith('later '));
    expect(bytesOf(second).includes(`late-${canary}`)).toBe(true);
    expect(bytesOf(reader).includes(canary)).toBe(false);
    await here.close();
    await there.close();
  });

  test('is not in what a reader missed while it took nothing (R7)', async () => {
    const small = await openSync({ limits: { sendQueueBytes: 64 * 1024, sendStallMs: 60_000 } });
    const { meeting, ann, ben } = await roomWithDeleted(small);
    const slow = await (await small.join(ben, `${meeting}/transcript`)).sync();
    const socket = (slow.ws as unknown as { _socket: { pause(): void; resume(): void } })._socket;
    socket.pause();
    for (let i = 0; i < 24; i += 1)
      await small.rooms.change(meeting, 'transcript', { userId: null, origin: 'test' }, (doc) =>
        doc.getText('text').insert(0, 'z'.repeat(500_000)),
      );
    const type = (what: string) =>
      small.rooms.change(meeting, 'transcript', { userId: null, origin: 'test' }, (doc) =>
        doc.getText('text').insert(0, what),
      );
    await type(`missed-${canary}`);
    await small.rooms.change(meeting, 'transcript', { userId: null, origin: 'test' }, (doc) =>
      doc.getText('text').delete(0, `missed-${canary}`.length),
    );
    await type('at last ');
    socket.resume();
    await slow.until(() => textOf(slow).startsWith('at last '));
    expect(slow.doc.getText('text').length).toBe(12_000_000 + 'at last '.length + 'what was said '.length);
    expect(bytesOf(slow).includes(canary)).toBe(false);
    expect(slow.code).toBeNull();
    ann.ws.terminate();
    await small.close();
  });
});

test('H2 a state without deleted text is made and framed once for all who ask', async () => {
  const { meeting } = await roomWithDeleted();
  const { room } = await sync.rooms.enter(meeting, 'transcript', null);
  const states: SharedFrames[] = [];
  const peers = Array.from({ length: 5 }, (_, i) => ({
    id: `peer ${i}`,
    userId: `reader ${i}`,
    canWrite: false,
    history: false,
    wantsSaved: false,
    send: () => {},
    sendShared: (shared: SharedFrames) => void states.push(shared),
    allows: () => true,
    close: () => {},
  }));
  for (const peer of peers) {
    room.join(peer);
    room.receive(peer, { kind: 'ask', stateVector: Uint8Array.of(0) });
  }
  expect(peers.map((peer) => room.waits(peer))).toEqual(peers.map(() => true));
  const waiting = (): boolean => peers.some((peer) => room.waits(peer));
  while (waiting()) await sleep(5);
  expect(states).toHaveLength(peers.length);
  expect(new Set(states).size).toBe(1);
  // As long as nothing is deleted, it serves those who come later at once.
  await sync.rooms.change(meeting, 'transcript', { userId: null, origin: 'test' }, (doc) =>
    doc.getText('text').insert(0, 'more '),
  );
  const [first] = peers;
  if (first) room.receive(first, { kind: 'ask', stateVector: Uint8Array.of(0) });
  expect(waiting()).toBe(false);
  expect(states.some((shared, i) => i > peers.length && shared === states[0])).toBe(true);
  for (const peer of peers) room.leave(peer);
});

describe('H3 hello', () => {
  test('tells those who ask whether they may have deleted text, and again when that changes', async () => {
    const meeting = await sync.meeting();
    const [ann, ben] = [await sync.person(), await sync.person()];
    for (const one of [ann, ben]) sync.rights.set(one, new Set(editor));
    const told = ({ heard }: Raw) => heard.flatMap((frame) => (frame.kind === 'hello' ? [frame.hello] : []));
    const asks = await (await sync.join(ann, `${meeting}/transcript`, 'saved=1&history=1')).sync();
    const program = await (await sync.join(ben, `${meeting}/transcript`, 'saved=1')).sync();
    for (const one of [ann, ben]) sync.rights.set(one, new Set(['read', 'write']));
    await sync.door.revoke({ meeting });
    await asks.until(() => told(asks).length === 2);
    await program.until(() => told(program).length === 2);
    expect(told(asks).map(({ canWrite, history }) => [canWrite, history])).toEqual([
      [true, true],
      [true, false],
    ]);
    expect(told(program).map(({ canWrite, history }) => [canWrite, history])).toEqual([
      [true, false],
      [true, false],
    ]);
  });
});

/** A number as Yjs writes it. */
function varUint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(128 | (rest & 127));
  return [...bytes, rest];
}
