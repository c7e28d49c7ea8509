import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { close, limits, readFrame, type Frame } from '../protocol.ts';
import { Refused } from './inspect.ts';
import type { Identity } from './presence.ts';
import type { Peer, SharedFrames } from './room.ts';
import type { LiveRoom } from './rooms.ts';

export interface ConnectionOptions {
  id: string;
  userId: string;
  identity: Identity;
  canWrite: boolean;
  wantsSaved: boolean;
  now(): number;
  event(name: string, fields: Record<string, unknown>): void;
}

/** Lets through so many a second, with a burst. */
class Bucket {
  private left: number;
  private at: number;
  private readonly rate: number;
  private readonly most: number;
  constructor(rate: number, most: number, now: number) {
    this.rate = rate;
    this.most = most;
    this.left = most;
    this.at = now;
  }
  take(count: number, now: number): boolean {
    this.left = Math.min(this.most, this.left + ((now - this.at) / 1000) * this.rate);
    this.at = now;
    if (this.left < count) return false;
    this.left -= count;
    return true;
  }
}

/** One socket: its limits on the way in, its queue on the way out. */
export class Connection implements Peer {
  readonly id: string;
  readonly userId: string;
  readonly wantsSaved: boolean;
  canWrite: boolean;
  readonly identity: Identity;

  private readonly ws: WebSocket;
  private readonly socket: Duplex;
  private readonly options: ConnectionOptions;
  private live: LiveRoom | null = null;
  private readonly early: Buffer[] = [];
  private out: Buffer[] = [];
  private flushing = false;
  /** The last row of the log this socket was given whole. */
  private queuedSeq: number | null = null;
  /** Runs while the socket takes nothing more. */
  private stalled: NodeJS.Timeout | null = null;
  private readonly updates: Bucket;
  private readonly bytes: Bucket;
  private readonly answers: Bucket;
  private readonly presences: Bucket;
  private readonly controls: Bucket;
  private unanswered = 0;
  private readonly pinging: NodeJS.Timeout;

  constructor(ws: WebSocket, socket: Duplex, options: ConnectionOptions) {
    this.ws = ws;
    this.socket = socket;
    this.options = options;
    this.id = options.id;
    this.userId = options.userId;
    this.identity = options.identity;
    this.canWrite = options.canWrite;
    this.wantsSaved = options.wantsSaved;
    const now = options.now();
    this.updates = new Bucket(limits.updatesPerSecond, limits.updateBurst, now);
    this.bytes = new Bucket(limits.bytesPerSecond, limits.bytesPerSecond * 4, now);
    this.answers = new Bucket(limits.largeAnswersPerMinute / 60, limits.largeAnswersPerMinute, now);
    this.presences = new Bucket(limits.presencePerSecond, limits.presencePerSecond * 2, now);
    this.controls = new Bucket(limits.controlFramesPerSecond, limits.controlFramesPerSecond * 2, now);

    ws.on('message', (data: Buffer, isBinary: boolean) => this.onMessage(data, isBinary));
    ws.on('ping', () => this.onControl());
    ws.on('pong', () => {
      this.unanswered = 0;
      this.onControl();
    });
    ws.on('close', () => this.onClose());
    ws.on('error', () => {});
    this.pinging = setInterval(() => this.ping(), limits.pingMs);
    this.pinging.unref();
  }

  /** From now on the socket is in a room; what arrived before is read now. */
  enter(live: LiveRoom): void {
    if (this.ws.readyState !== this.ws.OPEN) return;
    if (live.room.dropped) return this.close(close.restart, 'not ready');
    this.live = live;
    live.room.join(this);
    live.presence.greet(this);
    for (const data of this.early.splice(0)) this.onMessage(data, true);
  }

  // ---- In ------------------------------------------------------------------------------------

  private onControl(): void {
    if (!this.controls.take(1, this.options.now())) this.close(close.tooFast, 'too many control frames');
  }

  private ping(): void {
    if (this.unanswered >= limits.missedPings - 1) {
      this.ws.terminate();
      return;
    }
    this.unanswered += 1;
    this.ws.ping();
  }

  private onMessage(data: Buffer, isBinary: boolean): void {
    if (this.ws.readyState !== this.ws.OPEN) return;
    if (!isBinary || data.byteLength === 0) return this.close(close.badFrame, 'not a message');
    const now = this.options.now();
    if (!this.bytes.take(data.byteLength, now)) return this.close(close.tooFast, 'too many bytes');
    if (!this.live) {
      if (this.early.length >= 10) this.close(close.badFrame, 'too early');
      else this.early.push(data);
      return;
    }
    let frame: Frame;
    try {
      frame = readFrame(data);
    } catch {
      return this.close(close.badFrame, 'not a message');
    }
    const { room } = this.live;
    try {
      this.take(frame, this.live, now);
    } catch (error) {
      if (error instanceof Refused) return this.close(close.badFrame, error.message);
      // Nobody foresaw it: the room is built anew rather than trusted, and the process goes on.
      this.options.event('a message threw', { room: room.name, why: String(error) });
      room.drop('a message that threw', close.restart);
    }
  }

  private take(frame: Frame, { room, presence }: LiveRoom, now: number): void {
    switch (frame.kind) {
      case 'ask':
        if (frame.stateVector.byteLength > limits.stateVectorEntries * 10)
          return this.close(close.badFrame, 'too large a state vector');
        if (room.size > limits.largeAnswer && !this.answers.take(1, now))
          return this.close(close.tooFast, 'asked too often');
        room.receive(this, frame);
        break;
      case 'state':
      case 'update':
        if (!this.updates.take(1, now)) return this.close(close.tooFast, 'too many updates');
        room.receive(this, frame);
        break;
      case 'presence':
        if (!this.presences.take(1, now)) return;
        presence.receive(this, this.identity, frame.update, room.peers);
        break;
      case 'askPresence':
        if (this.presences.take(1, now)) presence.greet(this);
        break;
      default:
        this.close(close.badFrame, 'not a message for a server');
    }
  }

  // ---- Out -----------------------------------------------------------------------------------

  send(frame: Uint8Array, upTo?: number): void {
    this.push(render([frame]), upTo ?? null);
  }

  sendShared(shared: SharedFrames): void {
    shared.rendered ??= render(shared.frames);
    // Before its question was answered, a socket that has this row may lack those before it.
    this.push(shared.rendered as Buffer, this.queuedSeq === null ? null : shared.upTo);
  }

  private push(bytes: Buffer, upTo: number | null): void {
    if (this.ws.readyState !== this.ws.OPEN || this.stalled) return;
    if (this.socket.writableLength > limits.sendQueueBytes) return this.stall();
    if (upTo !== null) this.queuedSeq = Math.max(this.queuedSeq ?? 0, upTo);
    this.out.push(bytes);
    if (!this.flushing) {
      this.flushing = true;
      queueMicrotask(() => this.flush());
    }
  }

  /** One write a socket and turn. */
  private flush(): void {
    this.flushing = false;
    const out = this.out;
    this.out = [];
    if (out.length === 0 || this.ws.readyState !== this.ws.OPEN) return;
    this.socket.write(out.length === 1 ? (out[0] ?? Buffer.alloc(0)) : Buffer.concat(out));
  }

  /** What comes now is lost, not the connection: once the queue drains, the room sends what was missed. */
  private stall(): void {
    this.flush();
    this.stalled = setTimeout(() => this.ws.terminate(), limits.sendStallMs);
    this.stalled.unref();
    this.socket.once('drain', () => {
      if (this.stalled) clearTimeout(this.stalled);
      this.stalled = null;
      if (!this.live || this.live.room.dropped) return;
      this.live.room.resend(this, this.queuedSeq);
      this.live.presence.greet(this);
    });
  }

  close(code: number, reason: string): void {
    if (this.ws.readyState !== this.ws.OPEN) return;
    this.flush();
    this.options.event('closing', { code, reason });
    this.ws.close(code, reason.slice(0, 100));
    // Whoever does not answer the close is cut.
    const cut = setTimeout(() => this.ws.terminate(), 2000);
    cut.unref();
    this.ws.once('close', () => clearTimeout(cut));
    this.leave();
  }

  /** From now on nothing of it is taken. */
  loseWriting(): void {
    if (!this.canWrite) return;
    this.canWrite = false;
    this.live?.room.withdraw(this);
  }

  private leave(): void {
    const { live } = this;
    this.live = null;
    if (!live) return;
    live.room.leave(this);
    live.presence.leave(this, live.room.peers);
  }

  private onClose(): void {
    clearInterval(this.pinging);
    if (this.stalled) clearTimeout(this.stalled);
    this.leave();
  }
}

/** Data frames of a server as they stand on the wire (RFC 6455: final, binary, not masked), for many sockets at once. */
function render(frames: readonly Uint8Array[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const frame of frames) parts.push(header(frame.byteLength), frame);
  return Buffer.concat(parts);
}

function header(length: number): Buffer {
  if (length < 126) return Buffer.from([0x82, length]);
  if (length < 65_536) return Buffer.from([0x82, 126, length >> 8, length & 255]);
  const bytes = Buffer.alloc(10);
  bytes[0] = 0x82;
  bytes[1] = 127;
  bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
}
