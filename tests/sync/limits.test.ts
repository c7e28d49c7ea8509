// Every limit of sync/protocol.ts, at the limit and one past it (G12 and others of sync/SPEC.md).
import * as encoding from 'lib0/encoding';
import * as Y from 'yjs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { limits, readStateVector, writeFrame, type Limits } from '#sync/protocol.ts';
import { inspect } from '#sync/server/inspect.ts';
import { freshDatabase } from '../support/database.ts';
import { openSync, type Raw, type TestSync } from '../support/door.ts';

// Every figure of the wire, at its limit and one past it. Where that takes too long to reach, a smaller one is set;
// the code that counts is the same.

const presenceOf = (clientId: number, clock: number, json: string): Uint8Array =>
  encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, 1);
    encoding.writeVarUint(encoder, clientId);
    encoding.writeVarUint(encoder, clock);
    encoding.writeVarString(encoder, json);
  });
const stateVector = (entries: number): Uint8Array =>
  encoding.encode((encoder) => {
    encoding.writeVarUint(encoder, entries);
    for (let id = entries; id > 0; id -= 1) {
      encoding.writeVarUint(encoder, id);
      encoding.writeVarUint(encoder, 1);
    }
  });
/** `count` updates that each write `text` and depend only on the ones before. */
const updatesOf = (count: number, text = 'x', clientId = 9): Uint8Array[] => {
  const doc = new Y.Doc();
  doc.clientID = clientId;
  const updates: Uint8Array[] = [];
  doc.on('update', (update: Uint8Array) => updates.push(update));
  for (let i = 0; i < count; i += 1) doc.getText('text').insert(0, text);
  return updates;
};
const askForAll = writeFrame({ kind: 'ask', stateVector: Uint8Array.of(0) });
const askPresence = writeFrame({ kind: 'askPresence' });

let fresh: Awaited<ReturnType<typeof freshDatabase>>;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.drop());

interface Stage {
  sync: TestSync;
  room: string;
  ann: Raw;
}

/** A row of the table: Ann does `at`, which is taken; then `past`, with its outcome. */
interface Row {
  which: (keyof Limits)[];
  given?: Partial<Limits>;
  at(stage: Stage): Promise<void> | void;
  past(stage: Stage): Promise<void> | void;
  code: number;
}

const sendAll = (ann: Raw, frames: readonly Uint8Array[]): void => {
  for (const frame of frames) ann.ws.send(frame);
};
const times = <T>(count: number, what: T): T[] => Array.from({ length: count }, () => what);
const update = (bytes: Uint8Array): Uint8Array => writeFrame({ kind: 'update', update: bytes });
/** Presence of so many bytes, without content. */
const nothing = (bytes: number): Uint8Array => presenceOf(1, 1, `null${' '.repeat(bytes)}`);
const inPieces = (ann: Raw, count: number): void => {
  const frame = writeFrame({ kind: 'presence', update: nothing(count) });
  for (let i = 0; i < count; i += 1)
    ann.ws.send(i === count - 1 ? frame.subarray(i) : frame.subarray(i, i + 1), { fin: i === count - 1 });
};
const framed = (bytes: number): Uint8Array => {
  const bare = writeFrame({ kind: 'presence', update: nothing(bytes - 30) }).byteLength;
  const exact = writeFrame({ kind: 'presence', update: nothing(bytes - 30 + bytes - bare) });
  if (exact.byteLength !== bytes) throw new Error('the wrong size');
  return exact;
};
let eleven: Uint8Array[] = [];

const table: Row[] = [
  {
    which: ['frameBytes'],
    at: ({ ann }) => ann.ws.send(framed(limits.frameBytes)),
    past: ({ ann }) => ann.ws.send(framed(limits.frameBytes + 1)),
    code: 1009,
  },
  {
    which: ['fragments'],
    given: { fragments: 20 },
    at: ({ ann }) => inPieces(ann, 20),
    past: ({ ann }) => inPieces(ann, 21),
    code: 1008,
  },
  {
    which: ['updateBurst'],
    given: { updateBurst: 10 },
    at: ({ ann }) => {
      eleven = updatesOf(11);
      sendAll(ann, eleven.slice(0, 10).map(update));
    },
    past: ({ ann }) => sendAll(ann, eleven.slice(10).map(update)),
    code: 4429,
  },
  {
    which: ['updatesPerSecond'],
    given: { updateBurst: 10, updatesPerSecond: 5 },
    at: async ({ ann, sync }) => {
      eleven = updatesOf(16);
      sendAll(ann, eleven.slice(0, 10).map(update));
      await ann.beat();
      sync.forward(1000);
      sendAll(ann, eleven.slice(10, 15).map(update));
    },
    past: ({ ann }) => sendAll(ann, eleven.slice(15).map(update)),
    code: 4429,
  },
  {
    which: ['byteBurst'],
    given: { byteBurst: 10_000 },
    at: ({ ann }) => sendAll(ann, times(10, framed(1000))),
    past: ({ ann }) => sendAll(ann, [askPresence]),
    code: 4429,
  },
  {
    which: ['bytesPerSecond'],
    given: { byteBurst: 10_000, bytesPerSecond: 2000 },
    at: async ({ ann, sync }) => {
      sendAll(ann, times(10, framed(1000)));
      await ann.beat();
      sync.forward(1000);
      sendAll(ann, times(2, framed(1000)));
    },
    past: ({ ann }) => sendAll(ann, [askPresence]),
    code: 4429,
  },
  {
    which: ['messageCost'],
    given: { byteBurst: 2560 },
    at: ({ ann }) => sendAll(ann, times(10, askPresence)),
    past: ({ ann }) => sendAll(ann, [askPresence]),
    code: 4429,
  },
  {
    which: ['askBurst'],
    given: { askBurst: 3 },
    at: ({ ann }) => sendAll(ann, times(3, askForAll)),
    past: ({ ann }) => sendAll(ann, [askForAll]),
    code: 4429,
  },
  {
    which: ['asksPerSecond'],
    given: { askBurst: 3, asksPerSecond: 1 },
    at: async ({ ann, sync }) => {
      sendAll(ann, times(3, askForAll));
      await ann.beat();
      sync.forward(1000);
      sendAll(ann, [askForAll]);
    },
    past: ({ ann }) => sendAll(ann, [askForAll]),
    code: 4429,
  },
  {
    // An answer of 15 bytes (5 of them the frame's) does not count as large.
    which: ['largeAnswersPerMinute'],
    given: { largeAnswer: 1, largeAnswersPerMinute: 2 },
    at: ({ ann }) => sendAll(ann, times(2, askForAll)),
    past: ({ ann }) => sendAll(ann, [askForAll]),
    code: 4429,
  },
  {
    // The answer of an empty room: the message of an empty update.
    which: ['answerBytesPerMinute'],
    given: { answerBytesPerMinute: 3 * writeFrame({ kind: 'state', update: Uint8Array.of(0, 0) }).byteLength },
    at: ({ ann }) => sendAll(ann, times(3, askForAll)),
    past: ({ ann }) => sendAll(ann, [askForAll]),
    code: 4429,
  },
  {
    which: ['controlFramesPerSecond'],
    given: { controlFramesPerSecond: 3 },
    at: ({ ann }) => times(5, 0).forEach(() => ann.ws.ping()),
    // With the one that waits for the answer they are seven.
    past: ({ ann }) => ann.ws.ping(),
    code: 4429,
  },
  {
    which: ['pendingBytes'],
    given: { pendingBytes: 100 },
    at: ({ ann }) => sendAll(ann, [update(gapped(100))]),
    past: ({ ann }) => sendAll(ann, [update(gapped(1, 8))]),
    code: 4400,
  },
  {
    which: ['pendingMs'],
    given: { pendingMs: 300 },
    at: ({ ann }) => sendAll(ann, [update(gapped(100))]),
    past: ({ sync }) => void sync.forward(300),
    code: 1012,
  },
  {
    which: ['clientIdsPerPersonAndDay'],
    given: { clientIdsPerPersonAndDay: 2 },
    at: ({ ann }) => sendAll(ann, [1, 2].flatMap((id) => updatesOf(1, 'x', id)).map(update)),
    past: ({ ann }) => sendAll(ann, updatesOf(1, 'x', 3).map(update)),
    code: 1013,
  },
  {
    which: ['clientIdsPerDocument'],
    given: { clientIdsPerDocument: 2 },
    at: ({ ann }) => sendAll(ann, [1, 2].flatMap((id) => updatesOf(1, 'x', id)).map(update)),
    past: ({ ann }) => sendAll(ann, updatesOf(1, 'x', 3).map(update)),
    code: 1013,
  },
  {
    which: ['documentBytes'],
    given: { documentBytes: 2 * (updatesOf(1, 'y'.repeat(500))[0]?.byteLength ?? 0) },
    at: ({ ann }) => sendAll(ann, [1, 2].flatMap((id) => updatesOf(1, 'y'.repeat(500), id)).map(update)),
    past: ({ ann }) => sendAll(ann, updatesOf(1, 'x', 3).map(update)),
    code: 4413,
  },
  {
    which: ['stateVectorEntries'],
    at: ({ ann }) => ann.send({ kind: 'ask', stateVector: stateVector(limits.stateVectorEntries) }),
    past: ({ ann }) => ann.send({ kind: 'ask', stateVector: stateVector(limits.stateVectorEntries + 1) }),
    code: 4400,
  },
];

/** An update of so many bytes, or of so much text, that hangs on something missing. */
function gapped(bytes: number, client = 9): Uint8Array {
  for (let text = 1; ; text += 1) {
    const made = updatesOf(2, 'x'.repeat(text), client)[1] ?? new Uint8Array();
    if (made.byteLength >= bytes) return made;
  }
}

describe('on the wire, at the limit and one past it', () => {
  it.each(table)('$which', async ({ given, at, past, code }) => {
    const sync = await openSync({ database: fresh, limits: given ?? {} });
    try {
      const room = `${await sync.meeting()}/transcript`;
      const ann = await sync.join('ann', room);
      await ann.until(() => ann.count('ask') > 0);
      sync.freeze();
      const stage = { sync, room, ann };
      await at(stage);
      await ann.beat();
      await settle(sync, room);
      expect(ann.code, 'at the limit').toBeNull();
      await past(stage);
      expect(await ann.ended, 'one past it').toBe(code);
    } finally {
      await sync.close();
    }
  });
});

const doc = (fill: (doc: Y.Doc) => void): Uint8Array => {
  const made = new Y.Doc();
  fill(made);
  return Y.encodeStateAsUpdate(made);
};
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
const set = (value: unknown) => doc((made) => made.getMap('about').set('k', value));
/** A text of one client that begins at this clock, without anything before it. */
const reaching = (clock: number): Uint8Array =>
  encoding.encode((encoder) => {
    // One client with one structure: garbage of that length.
    for (const n of [1, 1, 9, 0]) encoding.writeVarUint(encoder, n);
    encoding.writeUint8(encoder, 0);
    encoding.writeVarUint(encoder, clock);
    encoding.writeVarUint(encoder, 0);
  });

describe('in an update, at the limit and one past it', () => {
  it.each<[keyof Limits, Uint8Array, Uint8Array]>([
    // Depth 0 is the value itself.
    ['depth', set(nested(limits.depth)), set(nested(limits.depth + 1))],
    ['valueBytes', set('x'.repeat(limits.valueBytes - 4)), set('x'.repeat(limits.valueBytes - 3))],
    [
      'insertBytes',
      doc((made) => made.getArray('a').push(chunks(limits.insertBytes))),
      doc((made) => made.getArray('a').push(chunks(limits.insertBytes + 1))),
    ],
    ['structsPerUpdate', structures(limits.structsPerUpdate), structures(limits.structsPerUpdate + 1)],
    ['clockStep', reaching(limits.clockStep), reaching(limits.clockStep + 1)],
  ])('%s', (_which, at, past) => {
    expect(() => inspect(at)).not.toThrow();
    expect(() => inspect(past)).toThrow();
  });

  it('G12 stateVectorEntries, ids twice, too few entries, bytes behind; ids in any order are well', () => {
    expect(readStateVector(stateVector(limits.stateVectorEntries)).size).toBe(limits.stateVectorEntries);
    const clocks = new Map([
      [1, 5],
      [2, 7],
    ]);
    for (const hex of ['0202070105', '0201050207']) expect(readStateVector(Buffer.from(hex, 'hex'))).toEqual(clocks);
    for (const hex of ['0201010101', '03010102010101', '01010100', '0201', '010101ff'])
      expect(() => readStateVector(Buffer.from(hex, 'hex')), hex).toThrow();
    expect(() => readStateVector(stateVector(limits.stateVectorEntries + 1))).toThrow('too large');
  });
});

/** Values of 1000 bytes, the last one so long that all of them take exactly so many. */
function chunks(bytes: number): string[] {
  // A string takes a byte for its kind and two for its length.
  const whole = Array.from({ length: Math.floor(bytes / 1000) - 1 }, () => 'x'.repeat(997));
  return [...whole, 'x'.repeat(bytes - whole.length * 1000 - 3)];
}

/** An update with this many structures: letters, every other one deleted. */
function structures(count: number): Uint8Array {
  return encoding.encode((encoder) => {
    for (const n of [1, count, 9, 0]) encoding.writeVarUint(encoder, n);
    for (let i = 0; i < count; i += 1) {
      encoding.writeUint8(encoder, 0);
      encoding.writeVarUint(encoder, 1);
    }
    encoding.writeVarUint(encoder, 0);
  });
}

describe('limits over several sockets', () => {
  const open = (given: Partial<Limits>) => openSync({ database: fresh, limits: given });

  it('socketsPerUser and socketsPerAddress: one more is answered with 429, and let in when another has gone', async () => {
    const sync = await open({ socketsPerUser: 2, socketsPerAddress: 2 });
    const room = `${await sync.meeting()}/transcript`;
    for (const who of ['ann', null]) {
      const first = await sync.join(who, room);
      await sync.join(who, room);
      expect((await sync.join(who, room)).code).toBe(429);
      first.ws.close();
      await first.ended;
      expect((await sync.join(who, room)).code).toBeNull();
    }
    await sync.close();
  });

  it('D5 earlyMessages: ten wait for the room and are paid for once, the eleventh is one too many', async () => {
    // Twelve messages are beyond the limit, so counting the early ones twice would show.
    const sync = await open({ byteBurst: 12 * limits.messageCost, bytesPerSecond: 1 });
    const meeting = await sync.meeting();
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const locked = new Promise<void>((resolve, reject) => {
      sync.sql
        .begin(async (tx) => {
          await tx`lock table rooms in access exclusive mode`;
          resolve();
          await held;
        })
        .catch(reject);
    });
    await locked;
    const ann = await sync.join('ann', `${meeting}/transcript`);
    const ben = await sync.join('ben', `${meeting}/transcript`);
    sendAll(ann, times(limits.earlyMessages, askPresence));
    sendAll(ben, times(limits.earlyMessages + 1, askPresence));
    expect(await ben.ended).toBe(4400);
    release();
    await ann.until(() => ann.count('presence') > 0);
    expect(ann.code).toBeNull();
    await sync.close();
  });

  it('L6 waitingBytes: what waits for a disk that hangs is bounded', async () => {
    const three = updatesOf(3, 'x'.repeat(100));
    const size = three[1]?.byteLength ?? 0;
    const sync = await open({ waitingBytes: (three[0]?.byteLength ?? 0) + size });
    const meeting = await sync.meeting();
    const ann = await sync.join('ann', `${meeting}/transcript`, 'saved=1');
    // The client id is claimed before the disk hangs.
    ann.send({ kind: 'update', update: updatesOf(1, 'y', 9)[0] ?? new Uint8Array() });
    await ann.until(() => ann.count('saved') > 0);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    await new Promise<void>((resolve, reject) => {
      sync.sql
        .begin(async (tx) => {
          await tx`select 1 from rooms where name = ${`${meeting}/transcript`} for update`;
          resolve();
          await held;
        })
        .catch(reject);
    });
    const doc = new Y.Doc();
    doc.clientID = 9;
    const more: Uint8Array[] = [];
    doc.getText('text').insert(0, 'y');
    doc.on('update', (one: Uint8Array) => more.push(one));
    for (let i = 0; i < 3; i += 1) doc.getText('text').insert(0, 'x'.repeat(100));
    sendAll(ann, [more[0] ?? new Uint8Array()].map(update));
    await ann.beat();
    sendAll(ann, [more[1] ?? new Uint8Array()].map(update));
    await ann.beat();
    expect(ann.code).toBeNull();
    sendAll(ann, [more[2] ?? new Uint8Array()].map(update));
    expect(await ann.ended).toBe(1012);
    release();
    await sync.close();
  });

  it('pendingBytes: the client that fills the buffer of out-of-order updates is closed, not the next one', async () => {
    const sync = await open({ pendingBytes: 200 });
    const room = `${await sync.meeting()}/transcript`;
    const [ann, ben] = [await sync.join('ann', room), await sync.join('ben', room)];
    sendAll(ann, [update(gapped(150))]);
    await ann.beat();
    sendAll(ben, [update(gapped(60, 8))]);
    expect(await ann.ended).toBe(4400);
    await ben.beat();
    expect(ben.code).toBeNull();
    await sync.close();
  });

  it('clientIdsPerDocument: people who only have the link use up half of it at most, under any names', async () => {
    const sync = await open({ clientIdsPerDocument: 4 });
    const room = `${await sync.meeting()}/transcript`;
    const write = async (who: string | null, id: number) => {
      const one = await sync.join(who, room, 'saved=1');
      sendAll(one, updatesOf(1, 'x', id).map(update));
      return Promise.race([one.until(() => one.count('saved') > 0).then(() => 'saved'), one.ended]);
    };
    expect([await write(null, 1), await write(null, 2), await write(null, 3)]).toEqual(['saved', 'saved', 1013]);
    expect([await write('ann', 4), await write('ben', 5), await write('ann', 6)]).toEqual(['saved', 'saved', 1013]);
    await sync.close();
  });

  it('documentWarnBytes: logged once, and not one byte before', async () => {
    const [one] = updatesOf(1, 'y'.repeat(500));
    const size = one?.byteLength ?? 0;
    for (const [warn, told] of [
      [size, 1],
      [size + 1, 0],
    ] as const) {
      const sync = await open({ documentWarnBytes: warn });
      const ann = await sync.join('ann', `${await sync.meeting()}/transcript`, 'saved=1');
      sendAll(ann, [update(one ?? new Uint8Array())]);
      await ann.until(() => ann.count('saved') > 0);
      expect(sync.events.filter(({ name }) => name === 'large document')).toHaveLength(told);
      await sync.close();
    }
  });

  it('documentBytes: a full document is read, and shortened, and then written again', async () => {
    const [one] = updatesOf(1, 'y'.repeat(500));
    const sync = await open({ documentBytes: (one?.byteLength ?? 0) + 10 });
    const meeting = await sync.meeting();
    const room = `${meeting}/transcript`;
    const ann = await (await sync.join('ann', room, 'saved=1')).sync();
    ann.doc.getText('text').insert(0, 'y'.repeat(500));
    await ann.until(() => ann.count('saved') > 0);
    const ben = await (await sync.join('ben', room)).sync();
    ben.doc.getText('text').insert(0, 'one more');
    expect(await ben.ended).toBe(4413);
    await expect(
      sync.rooms.change(meeting, 'transcript', { userId: 'ann', origin: 'test' }, (doc) =>
        doc.getText('text').insert(0, 'by the server'),
      ),
    ).rejects.toThrow('full');
    const chen = await (await sync.join('chen', room)).sync();
    expect(chen.doc.getText('text').toString()).toBe('y'.repeat(500));
    const saved = ann.count('saved');
    ann.doc.getText('text').delete(10, 490);
    await ann.until(() => ann.count('saved') > saved);
    expect(chen.code).toBeNull();
    await sync.close();
  });

  it('documentStructs: a document of so many structures is full, and read', async () => {
    const sync = await open({ documentStructs: 3 });
    const room = `${await sync.meeting()}/transcript`;
    const ann = await sync.join('ann', room, 'saved=1');
    const [one, two, three, four] = updatesOf(4) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    sendAll(ann, [one, two, three].map(update));
    await ann.until(() => ann.heard.some((frame) => frame.kind === 'saved' && frame.count === 3));
    sendAll(ann, [update(four)]);
    expect(await ann.ended).toBe(4413);
    const ben = await (await sync.join('ben', room)).sync();
    await ben.until(() => ben.doc.getText('text').length === 3);
    await sync.close();
  });

  /** All of them in one update: letters at the start, each before the last. */
  const atOnce = (count: number, clientId: number) => update(Y.mergeUpdates(updatesOf(count, 'x', clientId)));

  it('G15 work: an update that costs more is refused, and nobody else notices', async () => {
    const sync = await open({ work: 20_000 });
    const room = `${await sync.meeting()}/transcript`;
    const ann = await (await sync.join('ann', room, 'saved=1')).sync();
    sendAll(ann, [atOnce(100, 5)]);
    await ann.until(() => ann.count('saved') > 0);
    const ben = await (await sync.join('ben', room, 'saved=1')).sync();
    sendAll(ben, [atOnce(5, 9)]);
    await ben.until(() => ben.count('saved') > 0);
    const eve = await (await sync.join('eve', room, 'saved=1')).sync();
    sendAll(eve, [atOnce(20, 11)]);
    expect(await eve.ended).toBe(4400);
    expect([ann.code, ben.code]).toEqual([null, null]);
    const chen = await (await sync.join('chen', room)).sync();
    await chen.until(() => chen.doc.getText('text').length === 105);
    await sync.close();
  });

  it('G15 workPerSecond and workBurst: of all sockets of a person together', async () => {
    const sync = await open({ workBurst: 9000, workPerSecond: 4500 });
    sync.freeze();
    const room = `${await sync.meeting()}/transcript`;
    const ann = await (await sync.join('ann', room, 'saved=1')).sync();
    sendAll(ann, [atOnce(200, 5)]);
    await ann.until(() => ann.count('saved') > 0);
    const write = async (clientId: number) => {
      const ben = await (await sync.join('ben', room, 'saved=1')).sync();
      sendAll(ben, [atOnce(1, clientId)]);
      return Promise.race([ben.until(() => ben.count('saved') > 0).then(() => 'saved'), ben.ended]);
    };
    expect([await write(11), await write(12), await write(13)]).toEqual(['saved', 'saved', 4429]);
    sync.forward(1000);
    expect([await write(14), await write(15)]).toEqual(['saved', 4429]);
    expect(ann.code).toBeNull();
    await sync.close();
  });

  it.each([
    ['one by one, where one is enough for a turn', 1, 10],
    ['together, where there is room for all', 1_000_000, 1],
  ])('G15 turnWork: updates that come at once are stored %s', async (_what, turnWork, rows) => {
    const sync = await open({ turnWork });
    const room = `${await sync.meeting()}/transcript`;
    const ann = await sync.join('ann', room, 'saved=1');
    const [first, ...rest] = updatesOf(11) as [Uint8Array, ...Uint8Array[]];
    sendAll(ann, [update(first)]);
    await ann.until(() => ann.count('saved') > 0);
    sendAll(ann, rest.map(update));
    await ann.until(() => ann.heard.some((frame) => frame.kind === 'saved' && frame.count === 11));
    expect(await sync.sql`select 1 from room_updates where room = ${room}`).toHaveLength(1 + rows);
    await sync.close();
  });

  it('pingMs and missedPings: who answers no ping is cut, who answers stays', async () => {
    const sync = await open({ pingMs: 100, missedPings: 3 });
    const room = `${await sync.meeting()}/transcript`;
    const silent = await sync.join('ann', room);
    Object.assign(silent.ws, { _autoPong: false });
    const alive = await sync.join('ben', room);
    await silent.ended;
    expect(alive.code).toBeNull();
    await sync.close();
  });

  it.each([
    ['who takes nothing is cut', 300],
    ['who takes it again gets everything, and hears what they may do by then', 60_000],
  ])('R7 sendQueueBytes and sendStallMs: %s', async (_what, sendStallMs) => {
    const sync = await open({ sendQueueBytes: 64 * 1024, sendStallMs });
    const meeting = await sync.meeting();
    const slow = await (await sync.join('ben', `${meeting}/transcript`, 'saved=1')).sync();
    const socket = (slow.ws as unknown as { _socket: { pause(): void; resume(): void } })._socket;
    socket.pause();
    // More than the kernel buffers.
    for (let i = 0; i < 24 && sync.door.sockets() > 0; i += 1)
      await sync.rooms.change(meeting, 'transcript', { userId: null, origin: 'test' }, (doc) =>
        doc.getText('text').insert(0, 'z'.repeat(500_000)),
      );
    if (sendStallMs < 60_000) await vi.waitUntil(() => sync.door.sockets() === 0, { timeout: 60_000 });
    else {
      sync.rights.set('ben', new Set(['read', 'discover']));
      await sync.door.revoke({ user: 'ben' });
      socket.resume();
      await vi.waitUntil(() => slow.doc.getText('text').length === 12_000_000, { timeout: 120_000 });
      await slow.until(() => slow.heard.findLast((frame) => frame.kind === 'hello')?.hello.canWrite === false);
      expect(slow.code).toBeNull();
    }
    await sync.close();
  });
});

it('every figure has its test', () => {
  const elsewhere: (keyof Limits)[] = [
    'largeAnswer',
    // In the table of updates.
    ...(['depth', 'valueBytes', 'insertBytes', 'structsPerUpdate', 'clockStep'] as const),
    ...(['socketsPerUser', 'socketsPerAddress', 'earlyMessages', 'waitingBytes', 'documentWarnBytes'] as const),
    ...(['pingMs', 'missedPings', 'sendQueueBytes', 'sendStallMs'] as const),
    ...(['documentStructs', 'work', 'turnWork', 'workPerSecond', 'workBurst'] as const),
    // generation.test.ts
    'inlineStructs',
    // presence.test.ts
    ...(['presenceBytes', 'presencePerSecond', 'presenceAnswerMs', 'presenceSilenceMs'] as const),
  ];
  const tested = new Set([...table.flatMap(({ which }) => which), ...elsewhere]);
  expect(Object.keys(limits).filter((key) => !tested.has(key as keyof Limits))).toEqual([]);
});

/** Until what was sent is judged and stored. */
async function settle(sync: TestSync, room: string): Promise<void> {
  const [meeting = ''] = room.split('/');
  await new Promise((resolve) => setTimeout(resolve, 50));
  await sync.rooms.read(meeting, 'transcript', { userId: null }, () => {});
}
