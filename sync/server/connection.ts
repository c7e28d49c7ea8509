import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Veil } from '#db/access.ts';
import type { Taking } from '#shared/roles.ts';
import { type Frame, type Limits, close, limits as houseLimits, readFrame, tooMuchWork } from '../protocol.ts';
import { helloTo } from './hello.ts';
import { Refused } from './inspect.ts';
import type { Identity } from './presence.ts';
import type { LiveRoom } from './rooms.ts';
import type { Peer, SharedFrames } from './session.ts';

/** How long a silent socket is kept; shorter in tests. */
export interface Patience {
  pingMs: number;
  sendStallMs: number;
}

interface ConnectionOptions {
  id: string;
  userId: string;
  identity: Identity;
  canWrite: boolean;
  /** Whether it may write to the words of a transcript alone (G17). */
  wordsOnly?: boolean;
  history: boolean;
  oversees?: readonly string[];
  wantsSaved: boolean;
  asksHistory?: boolean;
  patience?: Partial<Patience>;
  limits?: Limits;
  /** Whether the person may still cause so much work. */
  affords?(work: number): boolean;
  now(): number;
  event(name: string, fields: Record<string, unknown>): void;
}

/** A token bucket: lets through so many a second, with a burst. */
export class Bucket {
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
  isFull(now: number): boolean {
    return this.left + ((now - this.at) / 1000) * this.rate >= this.most;
  }
  take(count: number, now: number): boolean {
    this.left = Math.min(this.most, this.left + ((now - this.at) / 1000) * this.rate);
    this.at = now;
    if (this.left < count) return false;
    this.left -= count;
    return true;
  }
}

/** One socket: limits on the way in, a queue on the way out. */
export class Connection implements Peer {
  readonly id: string;
  readonly userId: string;
  readonly wantsSaved: boolean;
  readonly asksHistory: boolean;
  canWrite: boolean;
  wordsOnly: boolean;
  history: boolean;
  oversees: readonly string[];
  identity: Identity;

  private readonly ws: WebSocket;
  private readonly socket: Duplex;
  private readonly options: ConnectionOptions;
  private live: LiveRoom | null = null;
  private readonly early: Buffer[] = [];
  private out: Buffer[] = [];
  private flushing = false;
  /** The last row of the log up to which this socket was sent everything. */
  private queuedSeq: number | null = null;
  /** Cuts the socket; set while it takes nothing more. */
  private stalled: NodeJS.Timeout | null = null;
  private readonly limits: Limits;
  private readonly updates: Bucket;
  private readonly bytes: Bucket;
  private readonly asks: Bucket;
  private readonly answers: Bucket;
  private readonly answerBytes: Bucket;
  private readonly greetings: Bucket;
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
    this.wordsOnly = options.wordsOnly ?? false;
    this.history = options.history;
    this.oversees = options.oversees ?? [];
    this.wantsSaved = options.wantsSaved;
    this.asksHistory = options.asksHistory ?? false;
    const limits = options.limits ?? houseLimits;
    this.limits = limits;
    const now = options.now();
    this.updates = new Bucket(limits.updatesPerSecond, limits.updateBurst, now);
    this.bytes = new Bucket(limits.bytesPerSecond, limits.byteBurst, now);
    this.asks = new Bucket(limits.asksPerSecond, limits.askBurst, now);
    this.answers = new Bucket(limits.largeAnswersPerMinute / 60, limits.largeAnswersPerMinute, now);
    this.answerBytes = new Bucket(limits.answerBytesPerMinute / 60, limits.answerBytesPerMinute, now);
    this.greetings = new Bucket(1, 5, now);
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
    this.pinging = setInterval(() => this.ping(), options.patience?.pingMs ?? limits.pingMs);
    this.pinging.unref();
  }

  /** Joins a room, and reads what arrived before. */
  enter(live: LiveRoom): void {
    if (this.gone) return;
    if (live.room.dropped) return this.close(close.restart, 'not ready');
    this.live = live;
    live.room.join(this);
    live.presence.greet(this);
    for (const data of this.early.splice(0)) if (this.live) this.read(data, this.live);
  }

  // ---- In ------------------------------------------------------------------------------------

  private onControl(): void {
    if (!this.controls.take(1, this.options.now())) this.close(close.tooFast, 'too many control frames');
  }

  private ping(): void {
    if (this.unanswered >= this.limits.missedPings - 1) {
      this.ws.terminate();
      return;
    }
    this.unanswered += 1;
    this.ws.ping();
  }

  private onMessage(data: Buffer, isBinary: boolean): void {
    if (this.ws.readyState !== this.ws.OPEN) return;
    if (!isBinary || data.byteLength === 0) return this.close(close.badFrame, 'not a message');
    const cost = Math.max(data.byteLength, this.limits.messageCost);
    if (!this.bytes.take(cost, this.options.now())) return this.close(close.tooFast, 'too many bytes');
    if (this.live) this.read(data, this.live);
    else if (this.early.length >= this.limits.earlyMessages) this.close(close.badFrame, 'too early');
    else this.early.push(data);
  }

  private read(data: Buffer, live: LiveRoom): void {
    let frame: Frame;
    try {
      frame = readFrame(data);
    } catch {
      return this.close(close.badFrame, 'not a message');
    }
    const { room } = live;
    try {
      this.take(frame, live, this.options.now());
    } catch (error) {
      if (error instanceof Refused) return this.close(close.badFrame, error.message);
      room.threw(error);
    }
  }

  private take(frame: Frame, { room, presence }: LiveRoom, now: number): void {
    switch (frame.kind) {
      case 'ask':
        if (!this.asks.take(1, now)) return this.close(close.tooFast, 'asked too often');
        room.receive(this, frame);
        break;
      case 'state':
      case 'update':
        if (!this.updates.take(1, now)) return this.close(close.tooFast, 'too many updates');
        room.receive(this, frame);
        break;
      case 'presence':
        presence.receive(this, this.identity, frame.update, room.peers, {
          speak: () => this.presences.take(1, now),
        });
        break;
      case 'askPresence':
        if (this.greetings.take(1, now)) presence.greet(this);
        break;
      default:
        this.close(close.badFrame, 'not a message for a server');
    }
  }

  // ---- Out -----------------------------------------------------------------------------------

  allows(answerBytes: number): boolean {
    const now = this.options.now();
    const allowed =
      (answerBytes <= this.limits.largeAnswer || this.answers.take(1, now)) && this.answerBytes.take(answerBytes, now);
    if (!allowed) this.close(close.tooFast, 'asked for too much');
    return allowed;
  }

  affords(work: number): boolean {
    const allowed = this.options.affords?.(work) ?? true;
    if (!allowed) this.close(close.tooFast, tooMuchWork);
    return allowed;
  }

  send(frame: Uint8Array, upTo?: number): void {
    this.push([render([frame]).bytes], upTo ?? null);
  }

  sendShared(shared: SharedFrames, without?: ReadonlySet<number>): void {
    const rendered = (shared.rendered ??= render(shared.frames)) as Rendered;
    // A socket whose first question is not answered yet may lack the rows before these.
    this.push(piecesOf(rendered, without), shared.whole || this.queuedSeq !== null ? shared.upTo : null);
  }

  private push(pieces: readonly Buffer[], upTo: number | null): void {
    if (this.ws.readyState !== this.ws.OPEN || this.stalled) return;
    if (this.socket.writableLength > this.limits.sendQueueBytes) return this.stall();
    if (upTo !== null) this.queuedSeq = Math.max(this.queuedSeq ?? 0, upTo);
    this.out.push(...pieces);
    if (!this.flushing) {
      this.flushing = true;
      queueMicrotask(() => this.flush());
    }
  }

  /** Writes once a turn, whatever was queued in it. */
  private flush(): void {
    this.flushing = false;
    const out = this.out;
    this.out = [];
    if (out.length === 0 || this.ws.readyState !== this.ws.OPEN) return;
    // Many sockets share these bytes, so they are not copied for each.
    this.socket.cork();
    for (const bytes of out) this.socket.write(bytes);
    this.socket.uncork();
  }

  /** Loses frames, not the connection: once the queue drains, the room sends what was missed (R7). */
  private stall(): void {
    this.flush();
    this.stalled = setTimeout(() => this.ws.terminate(), this.options.patience?.sendStallMs ?? this.limits.sendStallMs);
    this.stalled.unref();
    this.socket.once('drain', () => {
      if (this.stalled) clearTimeout(this.stalled);
      this.stalled = null;
      if (!this.live || this.live.room.dropped) return;
      this.live.room.resend(this, this.queuedSeq);
      this.live.presence.greet(this);
      this.tellRights();
    });
  }

  get gone(): boolean {
    return this.ws.readyState !== this.ws.OPEN;
  }

  close(code: number, reason: string): void {
    if (this.gone) return;
    this.flush();
    this.options.event('closing', { code, reason });
    this.ws.close(code, reason.slice(0, 100));
    // A client that does not answer the close is cut.
    const cut = setTimeout(() => this.ws.terminate(), 2000);
    cut.unref();
    this.ws.once('close', () => clearTimeout(cut));
    this.leave();
  }

  /** Closes a socket that lost every right; what it sent and still waits is not stored. */
  putOut(code: number, reason: string): void {
    const room = this.live?.room;
    this.close(code, reason);
    room?.withdraw(this);
  }

  /** Takes nothing more of it, nor what still waits (A2). */
  loseWriting(): void {
    if (!this.canWrite) return;
    this.canWrite = false;
    this.live?.room.withdraw(this);
  }

  get taking(): Taking {
    return this.identity.taking;
  }

  /** Sets how the person takes part, and who sees whom, from now on. */
  retake(taking: Taking, { by, oversees }: Veil): void {
    const before = [this.identity.taking, this.identity.veil ?? [], this.oversees];
    // Nothing is sent where nothing changed: it would tell that something else did.
    if (JSON.stringify(before) === JSON.stringify([taking, by, oversees])) return;
    const { veil: _, ...identity } = this.identity;
    this.oversees = oversees;
    this.identity = { ...identity, taking, ...(by.length > 0 && { veil: by }) };
    this.live?.presence.retake(this, this.identity, this.live.room.peers);
  }

  /** Tells our own client that the person's rights have changed; it looks up how. */
  tellRights(): void {
    const room = this.live?.room;
    if (!room || !this.wantsSaved || room.dropped) return;
    this.send(helloTo(room, this));
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

interface Rendered {
  bytes: Buffer;
  /** End offset of each frame. */
  ends: number[];
}

/** Data frames of a server as they stand on the wire (RFC 6455: final, binary, not masked), for many sockets at once. */
function render(frames: readonly Uint8Array[]): Rendered {
  const parts: Uint8Array[] = [];
  const ends: number[] = [];
  let end = 0;
  for (const frame of frames) {
    const head = header(frame.byteLength);
    parts.push(head, frame);
    ends.push((end += head.byteLength + frame.byteLength));
  }
  return { bytes: Buffer.concat(parts, end), ends };
}

/** The bytes between the frames that are left out. */
function piecesOf({ bytes, ends }: Rendered, without: ReadonlySet<number> | undefined): Buffer[] {
  if (!without || without.size === 0) return [bytes];
  const pieces: Buffer[] = [];
  let from = 0;
  for (const i of without) {
    const start = i === 0 ? 0 : (ends[i - 1] ?? 0);
    if (start > from) pieces.push(bytes.subarray(from, start));
    from = ends[i] ?? 0;
  }
  if (from < bytes.byteLength) pieces.push(bytes.subarray(from));
  return pieces;
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
