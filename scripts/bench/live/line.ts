import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import * as Y from 'yjs';
import { message, syncStep } from '#sync/protocol.ts';
import { varUint, writerOf, type Writer } from './updates.ts';

/** Connection details of a server; beyond these, all servers speak y-protocols. */
export interface Way {
  port: number;
  path: string;
  headers: Record<string, string>;
  /** Prefix of every message. */
  prefix: Uint8Array;
  /** First messages of a client. */
  greeting: Uint8Array[];
  acknowledges: boolean;
}

/** Acknowledgement of Hocuspocus, one for each update; ours sends counts. */
const updateStored = 8;

/** Callbacks for every received update and every acknowledgement. */
export interface Watch {
  delivered(writer: Writer, n: number, line: Line, now: number): void;
  acknowledged(writer: Writer, n: number, ms: number): void;
}

const nobody: Watch = { delivered: () => {}, acknowledged: () => {} };

/**
 * Cheapest possible client, so that the servers are measured and not the client: a socket, frames read in place, and no
 * document unless it is given one.
 */
export class Line {
  readonly socket: Socket;
  readonly writer: Writer | null;
  readonly opened: Promise<void>;
  /** Resolves after the first whole state. */
  readonly synced: Promise<void>;
  closedWith: number | null = null;
  watch: Watch;

  private readonly way: Way;
  private readonly doc: Y.Doc | null;
  private readonly onDoc: () => void;
  private rest: Buffer | null = null;
  private answers = 0;
  private wanted: { answers: number; done: () => void }[] = [];
  /** Writer and number of each update message; null for an empty state. */
  private readonly sent: ({ writer: Writer; n: number; at: number } | null)[] = [];
  private acknowledged = 0;
  private closing = false;
  private fail: (error: Error) => void = () => {};

  constructor(
    way: Way,
    options: { writer?: Writer; watch?: Watch; doc?: Y.Doc; onDoc?: () => void; asks?: boolean } = {},
  ) {
    this.way = way;
    this.writer = options.writer ?? null;
    this.watch = options.watch ?? nobody;
    this.doc = options.doc ?? null;
    this.onDoc = options.onDoc ?? (() => {});
    let open = () => {};
    this.opened = new Promise((resolve, reject) => {
      open = resolve;
      this.fail = reject;
    });
    this.synced = options.asks === false ? this.opened : this.answer(1);
    for (const promise of [this.opened, this.synced]) promise.catch(() => {});
    this.socket = connect({ host: '127.0.0.1', port: way.port, noDelay: true });
    this.socket.on('error', (error) => this.fail(new Error(`${way.path}: ${error.message}`)));
    this.socket.on('close', () => this.fail(new Error(`${way.path} closed with ${this.closedWith ?? 'nothing'}`)));
    this.shakeHands(() => {
      for (const bytes of way.greeting) this.frame(bytes);
      if (options.asks !== false) this.ask();
      open();
    });
  }

  private shakeHands(done: () => void): void {
    const { port, path, headers } = this.way;
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    this.socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    let head = Buffer.alloc(0);
    const read = (data: Buffer) => {
      head = Buffer.concat([head, data]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      this.socket.off('data', read);
      const status = head.subarray(0, head.indexOf('\r\n')).toString();
      if (!status.includes(' 101')) {
        this.fail(new Error(`${path}: ${status}`));
        this.socket.destroy();
        return;
      }
      this.socket.on('data', (bytes: Buffer) => this.read(bytes));
      done();
      if (head.length > end + 4) this.read(head.subarray(end + 4));
    };
    this.socket.on('data', read);
  }

  // ---- Sending ---------------------------------------------------------------------------------

  /** Masked with zeros: the server unmasks as usual, and the client saves the work. */
  private framed(body: Uint8Array, opcode = 2): Buffer {
    const length = this.way.prefix.length + body.length;
    const head =
      length < 126
        ? [0x80 | opcode, 0x80 | length, 0, 0, 0, 0]
        : length < 65_536
          ? [0x80 | opcode, 0x80 | 126, length >> 8, length & 255, 0, 0, 0, 0]
          : [
              0x80 | opcode,
              0x80 | 127,
              0,
              0,
              0,
              0,
              length >>> 24,
              (length >> 16) & 255,
              (length >> 8) & 255,
              length & 255,
              0,
              0,
              0,
              0,
            ];
    return Buffer.concat([Uint8Array.from(head), this.way.prefix, body]);
  }

  private frame(body: Uint8Array): void {
    this.socket.write(this.framed(body));
  }

  /** Requests everything a state vector lacks. */
  ask(stateVector: Uint8Array = Uint8Array.of(0)): void {
    this.frame(syncBody(syncStep.ask, stateVector));
  }

  /** Resolves with the n-th answer to a request. */
  answer(n = this.answers + 1): Promise<void> {
    return new Promise((resolve, reject) => {
      const before = this.fail;
      this.fail = (error) => {
        before(error);
        reject(error);
      };
      if (this.answers >= n) resolve();
      else this.wanted.push({ answers: n, done: resolve });
    });
  }

  /** Sends so many updates of the writer in one write. */
  type(count: number, now = performance.now()): void {
    const { writer } = this;
    if (!writer || count <= 0) return;
    const frames: Buffer[] = [];
    for (let i = 0; i < count; i++) {
      frames.push(this.framed(syncBody(syncStep.update, writer.next(now))));
      this.sent.push({ writer, n: writer.made - 1, at: now });
    }
    this.socket.write(frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames));
  }

  /** Sends updates that are not measured. */
  bring(updates: readonly Uint8Array[], step: number = syncStep.update): void {
    this.socket.write(Buffer.concat(updates.map((update) => this.framed(syncBody(step, update)))));
    for (const _ of updates) this.sent.push(null);
  }

  get unacknowledged(): number {
    return this.sent.length - this.acknowledged;
  }

  get alive(): boolean {
    return this.closedWith === null && !this.socket.destroyed;
  }

  leave(): Promise<void> {
    this.closing = true;
    if (this.socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      this.socket.once('close', () => resolve());
      this.socket.resume();
      this.socket.end(this.closeFrame());
      setTimeout(() => this.socket.destroy(), 500).unref();
    });
  }

  private closeFrame(): Buffer {
    return Buffer.from([0x88, 0x82, 0, 0, 0, 0, 1000 >> 8, 1000 & 255]);
  }

  // ---- Receiving -------------------------------------------------------------------------------

  private read(data: Buffer): void {
    const bytes = this.rest ? Buffer.concat([this.rest, data]) : data;
    this.rest = null;
    const now = performance.now();
    let at = 0;
    while (bytes.length - at >= 2) {
      const opcode = (bytes[at] ?? 0) & 15;
      let length = (bytes[at + 1] ?? 0) & 127;
      let start = at + 2;
      if (length === 126) {
        if (bytes.length - at < 4) break;
        length = bytes.readUInt16BE(at + 2);
        start = at + 4;
      } else if (length === 127) {
        if (bytes.length - at < 10) break;
        length = bytes.readUInt32BE(at + 6);
        start = at + 10;
      }
      if (bytes.length < start + length) break;
      if (opcode === 2) this.take(bytes, start + this.way.prefix.length, start + length, now);
      else if (opcode === 9) this.socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]));
      else if (opcode === 8) {
        this.closedWith = length >= 2 ? bytes.readUInt16BE(start) : 1005;
        if (!this.closing) this.socket.end(this.closeFrame());
      }
      at = start + length;
    }
    if (at < bytes.length) this.rest = at === 0 ? bytes : bytes.subarray(at);
  }

  private take(bytes: Buffer, from: number, end: number, now: number): void {
    const kind = bytes[from];
    // Hocuspocus answers some requests with a message type of its own, 4.
    if (kind === message.sync || kind === 4) {
      cursor = from + 2;
      const length = readVarUint(bytes);
      const start = cursor;
      if (bytes[from + 1] === syncStep.ask) {
        // Empty answer: the client has nothing the server lacks.
        this.bring([Uint8Array.of(0, 0)], syncStep.state);
      } else if (bytes[from + 1] === syncStep.update) {
        if (this.doc) this.build(bytes.subarray(start, start + length));
        else this.note(bytes, start, start + length, now);
      } else {
        if (this.doc) this.build(bytes.subarray(start, start + length));
        this.answers += 1;
        for (const one of this.wanted) if (this.answers >= one.answers) one.done();
        this.wanted = this.wanted.filter((one) => this.answers < one.answers);
      }
    } else if (kind === message.saved) {
      cursor = from + 1;
      const count = readVarUint(bytes);
      while (this.acknowledged < count) this.noteAcknowledged(now);
    } else if (kind === updateStored && this.way.prefix.length > 0) this.noteAcknowledged(now);
    if (end < from) throw new Error('a frame without its prefix');
  }

  private noteAcknowledged(now: number): void {
    const sent = this.sent[this.acknowledged];
    this.acknowledged += 1;
    if (!sent) return;
    sent.writer.acknowledged = Math.max(sent.writer.acknowledged, sent.n + 1);
    this.watch.acknowledged(sent.writer, sent.n, now - sent.at);
  }

  private build(update: Uint8Array): void {
    if (!this.doc) return;
    Y.applyUpdate(this.doc, update);
    this.onDoc();
  }

  /** Finds the writer of an update; only updates merged by a server need a full parse. */
  private note(bytes: Buffer, start: number, end: number, now: number): void {
    if (bytes[start] === 1 && bytes[start + 1] === 1) {
      cursor = start + 2;
      const writer = writerOf(readVarUint(bytes));
      if (!writer) return;
      const clock = readVarUint(bytes);
      if (writer.kind === 'values' || end - start < 45) {
        if (writer !== this.writer) this.watch.delivered(writer, clock / writer.step, this, now);
        return;
      }
    }
    for (const struct of Y.decodeUpdate(bytes.subarray(start, end)).structs) {
      const writer = writerOf(struct.id.client);
      if (!writer || writer === this.writer) continue;
      const to = (struct.id.clock + struct.length) / writer.step;
      for (let n = struct.id.clock / writer.step; n < to; n++) this.watch.delivered(writer, n, this, now);
    }
  }
}

function syncBody(step: number, payload: Uint8Array): Buffer {
  const head: number[] = [message.sync, step];
  varUint(head, payload.length);
  return Buffer.concat([Uint8Array.from(head), payload]);
}

let cursor = 0;
function readVarUint(bytes: Buffer): number {
  let value = 0;
  let factor = 1;
  for (;;) {
    const byte = bytes[cursor++] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return value;
    factor *= 128;
  }
}
