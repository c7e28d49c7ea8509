// The proxy does what each of its verbs says; the other tests here rely on that.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openProxy, type FaultProxy, type Way } from '#tests/support/proxy.ts';

let behind: Server;
let proxy: FaultProxy;
let ends: Record<Way, End>;
const open: Socket[] = [];

/** One end of a connection: received bytes, and how it ended. */
class End {
  readonly socket: Socket;
  came = '';
  ended: 'not' | 'fin' | 'rst' = 'not';
  constructor(socket: Socket) {
    this.socket = socket;
    open.push(socket);
    socket.on('data', (part: Buffer) => (this.came += part.toString()));
    socket.on('error', (error: NodeJS.ErrnoException) => (this.ended = error.code === 'ECONNRESET' ? 'rst' : 'fin'));
    socket.on('end', () => (this.ended = 'fin'));
  }
}

/** A line of which both ends are seen: `up` is the end that what goes up comes out of. */
async function line(): Promise<Record<Way, End>> {
  const accepted = once(behind, 'connection') as Promise<[Socket]>;
  const client = connect(proxy.port, '127.0.0.1');
  const down = new End(client);
  await once(client, 'connect');
  return { down, up: new End((await accepted)[0]) };
}
/** Bytes that go `way` are written at the other end. */
const send = (way: Way, text: string) => ends[way === 'up' ? 'down' : 'up'].socket.write(text);
const patient = { timeout: 60_000 };
const comes = (way: Way, text: string) => vi.waitFor(() => expect(ends[way].came).toBe(text), patient);
const ways = ['up', 'down'] as const;
const other = (way: Way): Way => (way === 'up' ? 'down' : 'up');

beforeEach(async () => {
  behind = createServer().listen(0, '127.0.0.1');
  await once(behind, 'listening');
  proxy = await openProxy((behind.address() as AddressInfo).port);
  ends = await line();
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await proxy.close();
  behind.close();
});

test('without a fault bytes pass both ways, and an end at one end is one at the other', async () => {
  const much = 'x'.repeat(3_000_000);
  for (const way of ways) send(way, much);
  for (const way of ways) await comes(way, much);
  expect([proxy.passed('up'), proxy.passed('down')]).toEqual([much.length, much.length]);
  ends.down.socket.end();
  await vi.waitFor(() => expect(ends.up.ended).toBe('fin'), patient);
  await vi.waitFor(() => expect(proxy.lines()).toBe(0), patient);
});

describe.each(ways)('%s', (way) => {
  test('delay: late, in order, and the other way is not', async () => {
    proxy.delay(20_000, [way]);
    send(way, 'late');
    send(other(way), 'at once');
    await comes(other(way), 'at once');
    expect(ends[way].came).toBe('');
    ends = await line();
    proxy.delay(300, [way]);
    const started = performance.now();
    for (const piece of ['a', 'b', 'c']) {
      send(way, piece);
      await sleep(5);
    }
    await comes(way, 'abc');
    expect(performance.now() - started).toBeGreaterThanOrEqual(295);
    proxy.heal();
    send(way, 'd');
    await comes(way, 'abcd');
  });

  test('throttle: no faster than that, all of it, and who sends has to wait', async () => {
    proxy.throttle(20_000, [way]);
    const started = performance.now();
    send(way, 'x'.repeat(10_000));
    await comes(way, 'x'.repeat(10_000));
    expect(performance.now() - started).toBeGreaterThanOrEqual(450);
    // The sender keeps what exceeds all buffers on the way.
    const source = ends[other(way)].socket;
    source.write('y'.repeat(40_000_000));
    await sleep(300);
    expect(source.writableLength).toBeGreaterThan(1_000_000);
  });

  test('black hole: nothing arrives in that direction, ends go unnoticed, the other direction works', async () => {
    proxy.blackHole([way]);
    send(way, 'lost');
    send(other(way), 'kept');
    await comes(other(way), 'kept');
    await sleep(50);
    expect(ends[way].came).toBe('');
    expect([ends.up.ended, ends.down.ended]).toEqual(['not', 'not']);
    ends[other(way)].socket.destroy();
    await sleep(50);
    expect(ends[way].ended).toBe('not');
  });

  test('black hole, healed: what was swallowed is gone, what comes passes', async () => {
    proxy.blackHole([way]);
    send(way, 'lost');
    await vi.waitFor(() => expect(proxy.swallowed(way)).toBe('lost'.length), patient);
    proxy.heal();
    send(way, 'found');
    await comes(way, 'found');
  });

  test.each(['fin', 'rst'] as const)(
    'cut after n bytes by %s: exactly these come, and both ends see how it ended',
    async (how) => {
      proxy.cutAfter(5, way, how);
      send(way, 'wel');
      send(way, 'come back');
      await vi.waitFor(() => expect([ends.up.ended, ends.down.ended]).toEqual([how, how]), patient);
      expect(ends[way].came).toBe('welco');
      // One cut ends current connections only, not later ones.
      ends = await line();
      send(way, 'welcome back');
      await comes(way, 'welcome back');
    },
  );
});

test.each(['fin', 'rst'] as const)('cut by %s: every line there is ends so, and new ones pass', async (how) => {
  const first = ends;
  const second = await line();
  proxy.cut(how);
  for (const { up, down } of [first, second])
    await vi.waitFor(() => expect([up.ended, down.ended]).toEqual([how, how]), patient);
  ends = await line();
  send('up', 'again');
  await comes('up', 'again');
});

test('cut idle: a silent line is cut, one that speaks is not', async () => {
  const silent = await line();
  proxy.cutIdle(1000);
  for (let i = 0; i < 300 && silent.up.ended === 'not'; i += 1) {
    send('up', '.');
    await sleep(30);
  }
  expect(silent.up.ended).toBe('fin');
  expect(ends.up.ended).toBe('not');
});

test('refuse: new connections fail until it is healed', async () => {
  proxy.refuse();
  const late = new End(connect(proxy.port, '127.0.0.1'));
  await vi.waitFor(() => expect(late.ended).toBe('rst'), patient);
  proxy.heal();
  ends = await line();
  send('up', 'in');
  await comes('up', 'in');
});
