import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** `up` is from the client to the server; `down` is back. */
export type Way = 'up' | 'down';

/** Faults applied to the bytes that pass. */
interface Manner {
  /** Milliseconds by which each piece is late; the order stays. */
  delay: number;
  /** Bytes a second; the rest waits at the sender. */
  rate: number;
  /** Takes bytes without passing them on, and tells neither end. */
  swallow: boolean;
  /** Bytes until the line breaks, even in the middle of a message. */
  left: number;
  how: 'fin' | 'rst';
}

interface Line {
  client: Socket;
  server: Socket;
  /** Milliseconds without a byte. */
  silent: number;
}

const lookEvery = 20;
const clean = (): Manner => ({ delay: 0, rate: Infinity, swallow: false, left: Infinity, how: 'fin' });

export interface FaultProxy {
  readonly port: number;
  /** Number of open lines. */
  lines(): number;
  /** For each line: the port of the client, and the port we connected from. */
  ports(): [number, number][];
  /** Bytes passed on so far. */
  passed(way: Way): number;
  /** Bytes taken and not passed on. */
  swallowed(way: Way): number;
  delay(ms: number, ways?: readonly Way[]): void;
  throttle(bytesPerSecond: number, ways?: readonly Way[]): void;
  /** Imitates a firewall that has forgotten the line: nothing comes through, and neither end learns of it. */
  blackHole(ways?: readonly Way[]): void;
  /** Breaks the line after that many more bytes one way; less than a frame's length cuts the frame in two. */
  cutAfter(bytes: number, way: Way, how?: 'fin' | 'rst'): void;
  /** Breaks every open line; new ones may come. */
  cut(how?: 'fin' | 'rst'): void;
  /** Breaks lines on which nothing has passed for so long. */
  cutIdle(ms: number): void;
  /** New lines are refused until `heal`. */
  refuse(): void;
  /** Passes bytes normally from now on; swallowed bytes are gone. */
  heal(): void;
  close(): Promise<void>;
}

/** Opens a line to a local port that a test can disturb; its methods act on open and future lines. */
export async function openProxy(target: number): Promise<FaultProxy> {
  const manners: Record<Way, Manner> = { up: clean(), down: clean() };
  const passed: Record<Way, number> = { up: 0, down: 0 };
  const swallowed: Record<Way, number> = { up: 0, down: 0 };
  const lines = new Set<Line>();
  let idle: number | null = null;
  let refusing = false;

  const end = ({ client, server }: Line, how: 'fin' | 'rst') => {
    for (const socket of [client, server]) {
      if (how === 'rst') socket.resetAndDestroy();
      else socket.destroySoon();
    }
  };

  async function carry(line: Line, way: Way): Promise<void> {
    const [from, to] = way === 'up' ? [line.client, line.server] : [line.server, line.client];
    const late: { at: number; piece: Buffer }[] = [];
    let sending: Promise<void> | null = null;

    const pass = async (piece: Buffer) => {
      if (manners[way].swallow) swallowed[way] += piece.byteLength;
      if (to.destroyed || manners[way].swallow) return;
      line.silent = 0;
      passed[way] += piece.byteLength;
      if (!to.write(piece)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
    };
    const sendLate = async () => {
      for (let next = late.shift(); next; next = late.shift()) {
        await sleep(Math.max(0, next.at - performance.now()));
        await pass(next.piece);
      }
      sending = null;
    };

    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let rest = chunk; rest.byteLength > 0;) {
        const manner = manners[way];
        // Passes a tenth of a second's worth at a time, so that a slow line is evenly slow.
        const most = Math.min(manner.rate === Infinity ? Infinity : Math.max(1, manner.rate / 10), manner.left);
        const piece = rest.subarray(0, Math.floor(most));
        rest = rest.subarray(piece.byteLength);
        if (manner.rate !== Infinity) await sleep((piece.byteLength / manner.rate) * 1000);
        manner.left -= piece.byteLength;
        if (manner.delay > 0 || sending) {
          late.push({ at: performance.now() + manner.delay, piece });
          sending ??= sendLate();
        } else await pass(piece);
        if (manner.left <= 0) {
          const { how } = manner;
          manner.left = Infinity;
          await sending;
          // A reset overtakes the data in the buffers: the reader must get the first half before it.
          if (how === 'rst') await sleep(20);
          end(line, how);
          return;
        }
      }
    }
    await sending;
  }

  const server = createServer({ noDelay: true }, (client) => {
    if (refusing) return client.resetAndDestroy();
    const line: Line = {
      client,
      server: connect({ port: target, host: '127.0.0.1', noDelay: true }),
      silent: 0,
    };
    lines.add(line);
    for (const [socket, other, way] of [
      [line.client, line.server, 'up'],
      [line.server, line.client, 'down'],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => {
        if (other.destroyed) lines.delete(line);
        // A black hole also hides that one end has closed.
        if (!manners[way].swallow) other.destroySoon();
      });
      carry(line, way).catch(() => {});
    }
  });
  // Counts ticks instead of reading a clock: while this process is suspended nothing can be sent.
  const watching = setInterval(() => {
    for (const line of lines) {
      line.silent += lookEvery;
      if (idle !== null && line.silent > idle) end(line, 'fin');
    }
  }, lookEvery);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const both = ['up', 'down'] as const;
  return {
    port: (server.address() as AddressInfo).port,
    lines: () => lines.size,
    ports: () => [...lines].map((line) => [line.client.remotePort ?? 0, line.server.localPort ?? 0]),
    passed: (way) => passed[way],
    swallowed: (way) => swallowed[way],
    delay: (ms, ways = both) => ways.forEach((way) => (manners[way].delay = ms)),
    throttle: (bytesPerSecond, ways = both) => ways.forEach((way) => (manners[way].rate = bytesPerSecond)),
    blackHole: (ways = both) => ways.forEach((way) => (manners[way].swallow = true)),
    cutAfter: (bytes, way, how = 'fin') => Object.assign(manners[way], { left: bytes, how }),
    cut: (how = 'fin') => [...lines].forEach((line) => end(line, how)),
    cutIdle: (ms) => {
      idle = ms;
      for (const line of lines) line.silent = 0;
    },
    refuse: () => (refusing = true),
    heal: () => {
      for (const way of both) Object.assign(manners[way], clean());
      idle = null;
      refusing = false;
    },
    close: async () => {
      clearInterval(watching);
      const closed = once(server, 'close');
      server.close();
      for (const line of lines) for (const socket of [line.client, line.server]) socket.destroy();
      await closed;
    },
  };
}
