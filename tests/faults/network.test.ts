// F18, F35, F37, F38, F40 and F50: connections that are slow, dead, cut in the middle or cut when silent, and a server
// that is held up.
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { limits } from '#sync/protocol.ts';
import {
  Editor,
  closeEditors,
  difference,
  nothingWrong,
  settled,
  synced,
  typedBy,
  typing,
  until,
} from '#tests/support/editors.ts';
import { openHouse, type HouseOptions, type TestHouse } from '#tests/support/house.ts';
import { makeMeeting, ticketFor } from '#tests/support/meetings.ts';
import { endProcesses, openProcess } from '#tests/support/processes.ts';
import { openProxy, type FaultProxy, type Way } from '#tests/support/proxy.ts';
import { noRedis, openRedis, redisBinary } from '#tests/support/redis.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  closeEditors();
  endProcesses();
  for (const close of closing.splice(0).toReversed()) await close();
});

async function open(options: HouseOptions = {}): Promise<TestHouse> {
  const house = await openHouse(options);
  closing.push(() => house.close());
  return house;
}
/** Servers that several tests use: they differ in their patience. */
const shared = new Map<string, Promise<TestHouse>>();
function houseOf(socketPatience: NonNullable<HouseOptions['socketPatience']>): Promise<TestHouse> {
  const key = JSON.stringify(socketPatience);
  const house = shared.get(key) ?? openHouse({ socketPatience });
  shared.set(key, house);
  return house;
}
afterAll(async () => {
  for (const house of shared.values()) await (await house).close();
});
/** No pings, and no cutting of clients that read nothing, however long a test takes. */
const patient = { pingMs: 600_000, sendStallMs: 600_000 };
const restless = { pingMs: 500 };

async function through(port: number): Promise<FaultProxy> {
  const proxy = await openProxy(port);
  closing.push(() => proxy.close());
  return proxy;
}
/** A room, with connections to it: direct, or through the proxy. */
async function scene(house: TestHouse) {
  const ann = await house.person('Ann');
  const room = `${await makeMeeting(house, ann)}/transcript`;
  const ticket = await ticketFor(ann, room);
  const editor = (at: { port: number } = house) =>
    new Editor({ room, at: () => `http://127.0.0.1:${at.port}`, ticket });
  return { room, ticket, editor };
}
const figure = async (house: { origin: string }, name: string): Promise<number> => {
  const text = await (await fetch(`${house.origin}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
};
const sockets = (house: { origin: string }) => figure(house, 'colloquy_sync_sockets');

describe('F37 a line that is dead without a word', () => {
  test('P4 is given up after 45 s at most', () => {
    expect(limits.pingMs * limits.missedPings).toBeLessThanOrEqual(45_000);
  });

  test('P4 is found by its missing answers; presence goes with it, others stay, and what was typed into it arrives', async () => {
    const house = await houseOf(restless);
    const proxy = await through(house.port);
    const { editor } = await scene(house);
    const near = editor();
    const far = editor(proxy);
    await synced([near, far]);
    far.provider.awareness.setLocalStateField('cursor', { at: 1 });
    await until(() => near.provider.awareness.getStates().size === 2);
    // Alive and silent is not dead: the pings are answered.
    await sleep(restless.pingMs * (limits.missedPings + 2));
    expect([await sockets(house), far.closes]).toEqual([2, []]);

    proxy.blackHole();
    const token = far.type();
    await until(async () => (await sockets(house)) === 1);
    await until(() => near.provider.awareness.getStates().size === 1);
    expect(near.closes).toEqual([]);
    proxy.heal();
    proxy.cut('rst');
    await until(() => near.text.toString().includes(token));
    await settled([near, far]);
  });
});

describe('F40 a proxy that cuts what is silent', () => {
  test.each([
    ['does not, where pings come more often than it waits', restless, 0],
    ['does, where they do not: it is the pings that keep the line', patient, 1],
  ] as const)('%s', async (_, patience, cuts) => {
    const house = await houseOf(patience);
    const proxy = await through(house.port);
    const { editor } = await scene(house);
    const far = editor(proxy);
    await synced([far]);
    proxy.cutIdle(2500);
    if (cuts === 0) await sleep(6000);
    else await until(() => far.closes.length > 0);
    proxy.heal();
    expect(far.closes.length).toBe(cuts);
    // A client that was cut reconnects by itself, unnoticed.
    await synced([far]);
    far.type();
    await until(() => far.provider.pending === 0);
  });
});

test('F38 lines reset in the middle of frames, both ways: nothing is lost and nothing is doubled', async () => {
  const house = await houseOf(patient);
  const proxy = await through(house.port);
  const { editor } = await scene(house);
  const [near, far, further] = [editor(), editor(proxy), editor(proxy)];
  const all = [near, far, further];
  await synced(all);
  const hands = typing(all, 20);
  // No frame here is shorter than 20 bytes, and the steps are of all lengths: most of them end inside one.
  for (let i = 0; i < 8; i += 1) {
    const cuts = far.closes.length + further.closes.length;
    proxy.cutAfter(60 + i * 31, i % 2 === 0 ? 'up' : 'down', 'rst');
    await until(() => far.closes.length + further.closes.length > cuts);
    await synced(all);
  }
  await hands.stop();
  await settled(all);
  expect(difference(near.text.toString(), typedBy(all))).toEqual(nothingWrong);
  expect(near.closes).toEqual([]);
  expect(new Set([...far.closes, ...further.closes])).toEqual(new Set([1006]));
});

/**
 * Bytes that our end of a line, from `port` to `remote`, has not got rid of; what a kernel holds of them is not ours.
 * Undefined where there is no such line.
 */
function waitingFor(port: number, remote: number): number | undefined {
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles();
  const ends = handles.filter((one): one is Socket => one instanceof Socket && one.localPort === port);
  return ends.find(({ remotePort }) => remotePort === remote)?.writableLength;
}

describe('F35 a client that reads a kilobyte a second', () => {
  const piece = 'x'.repeat(100_000);
  /** Each writes and deletes again, so that much is sent and the document stays small. */
  const pour = (writers: readonly Editor[], rounds: number) =>
    Promise.all(
      writers.map(async (writer) => {
        for (let round = 0; round < rounds; round += 1) {
          writer.text.insert(0, piece);
          await until(() => writer.provider.pending === 0);
          writer.text.delete(0, piece.length);
          await until(() => writer.provider.pending === 0);
        }
      }),
    );

  test('R7 loses what would follow, not the line, and is made up for; the others get everything meanwhile', async () => {
    const house = await houseOf(patient);
    const proxy = await through(house.port);
    const { editor } = await scene(house);
    const [reader, other] = [editor(proxy), editor()];
    const writers = Array.from({ length: 6 }, () => editor());
    await synced([reader, other, ...writers]);
    const [, behind] = proxy.ports()[0] ?? [];
    const held = () => waitingFor(house.port, behind ?? 0);
    const rate = 1000;
    const [passed, since] = [proxy.passed('down'), performance.now()];
    proxy.throttle(rate, ['down']);
    let most = 0;
    const round = async () => {
      await pour(writers, 1);
      most = Math.max(most, held() ?? NaN);
    };
    // The buffers of the machine fill up first; they hold a good deal themselves.
    while (most <= limits.sendQueueBytes) await round();
    for (let i = 0; i < 10; i += 1) await round();
    // The six megabytes sent since were not queued for them.
    expect(most).toBeLessThan(limits.sendQueueBytes + 2_000_000);
    await settled([other, ...writers]);
    // However long that took, no more has come to them than the line lets through.
    const seconds = (performance.now() - since) / 1000;
    expect(proxy.passed('down') - passed).toBeLessThan(rate * (seconds + 1));
    proxy.heal();
    const token = writers[0]?.type() ?? '';
    await until(() => reader.text.toString().includes(token));
    await settled([reader, other, ...writers]);
    expect([reader, other, ...writers].flatMap(({ closes }) => closes)).toEqual([]);
  });

  test('R7 and is cut when the queue does not move for long', async () => {
    // Long enough that a machine which pauses for a moment does not make everybody a slow reader.
    const house = await open({ socketPatience: { sendStallMs: 4000 } });
    const proxy = await through(house.port);
    const { editor } = await scene(house);
    const reader = editor(proxy);
    const writers = Array.from({ length: 6 }, () => editor());
    await synced([reader, ...writers]);
    const [, behind] = proxy.ports()[0] ?? [];
    proxy.throttle(1000, ['down']);
    // Until their queue is full: from then on it does not move. A document has no room for more.
    let waiting: number | undefined = 0;
    while (waiting !== undefined && waiting <= limits.sendQueueBytes) {
      await pour(writers, 1);
      waiting = waitingFor(house.port, behind ?? 0);
    }
    await pour(writers, 1);
    await until(async () => (await sockets(house)) === writers.length);
    proxy.heal();
    proxy.cut();
    await settled([reader, ...writers]);
    expect(writers.flatMap(({ closes }) => closes)).toEqual([]);
  });

  test('R7 the figures of the house are those', () => {
    expect([limits.sendQueueBytes, limits.sendStallMs]).toEqual([4 * 1024 * 1024, 15_000]);
  });
});

describe('F18 a line to Redis that is dead one way', () => {
  if (!redisBinary()) {
    test('editors at both processes', ({ skip }) => skip(noRedis));
    return;
  }
  test.each<[string, Way]>([
    ['hears nothing', 'down'],
    ['is not heard', 'up'],
  ])('M2 a process that %s: both have everything by the log, and presence crosses again afterwards', async (_, way) => {
    const redis = await openRedis();
    closing.push(() => redis.close());
    const proxy = await through(Number(new URL(redis.url).port));
    const house = await open({ env: { REDIS_URL: redis.url } });
    const lonely = await openHouse({ env: { DATABASE_URL: house.url, REDIS_URL: `redis://127.0.0.1:${proxy.port}` } });
    closing.push(() => lonely.close());
    const { editor } = await scene(house);
    const [here, there] = [editor(), editor(lonely)];
    const all = [here, there];
    await synced(all);
    const crosses = async () => {
      await until(() => {
        for (const [i, { provider }] of all.entries()) provider.awareness.setLocalStateField('cursor', { at: i });
        return all.every(({ provider }) => provider.awareness.getStates().size === 2);
      });
    };
    await crosses();
    proxy.blackHole([way]);
    for (let round = 0; round < 2; round += 1) {
      const tokens = all.map((one) => one.type());
      const started = performance.now();
      await until(() => all.every(({ text }) => tokens.every((token) => text.toString().includes(token))));
      console.log(`${way} dead: both had it after ${Math.round(performance.now() - started)} ms`);
    }
    expect(all.flatMap(({ closes }) => closes)).toEqual([]);
    proxy.heal();
    await crosses();
  });
});

describe('F50 a process held up for two seconds', () => {
  const blocking = `data:text/javascript,${encodeURIComponent(`
    process.on('SIGUSR2', () => {
      process.stdout.write('held up\\n');
      const until = performance.now() + 2000;
      while (performance.now() < until);
    });`)}`;
  test('loses nothing and takes no client for dead', async () => {
    const house = await open({ env: { ROLE: 'api' } });
    const held = await openProcess({ DATABASE_URL: house.url, ROLE: 'sync' }, { modules: [blocking] });
    const { editor } = await scene(house);
    const all = [editor(held), editor(held), editor(held)];
    await synced(all);
    const hands = typing(all);
    await until(() => all.every(({ saved }) => saved.length >= 3));
    held.child.kill('SIGUSR2');
    await held.heard(/held up/);
    const saved = all.map((one) => one.saved.length);
    await until(() => all.every((one, i) => one.saved.length >= (saved[i] ?? 0) + 20));
    await hands.stop();
    await settled(all);
    expect(difference(all[0]?.text.toString() ?? '', typedBy(all))).toEqual(nothingWrong);
    expect(all.flatMap(({ closes }) => closes)).toEqual([]);
    expect((await fetch(`${held.origin}/readyz`)).status).toBe(200);
  });
});
