import { close, limits, readFrame, writeFrame, type Frame } from '#sync/protocol.ts';
import { createLog } from '#sync/server/log.ts';
import type { RoomWorld } from '#sync/server/context.ts';
import { makeClean } from '#sync/server/snapshot.ts';
import { untangled } from '#sync/server/untangle.ts';
import { Room } from '#sync/server/room.ts';
import type { Peer, SharedFrames } from '#sync/server/session.ts';
import type { WireEvents } from '#sync/client/provider.ts';
import type { Chance } from './chance.ts';
import type { Disk } from './disk.ts';
import type { Time } from './time.ts';

/** State that all processes and sockets of one run share. */
export interface Setting {
  time: Time;
  chance: Chance;
  disk: Disk;
  /** Ends once the world is healed: no cut, no loss from then on. */
  troubled: boolean;
  /** Frames that were found to hold only what is stored. */
  checked: WeakSet<Uint8Array>;
  violation(what: string): void;
  event(name: string, fields: Record<string, unknown>): void;
}

export const roomName = 'm1/transcript';

/** One process: a real room on the fake disk. Killed, it forgets everything, and its promises never settle. */
export class Server {
  /** The processes that rows of this one are published to. */
  others: Server[] = [];
  private life: { room: Room | null; opening: Promise<Room> | null; over: boolean } | null = null;
  private readonly setting: Setting;
  readonly sockets = new Set<Socket>();

  constructor(setting: Setting) {
    this.setting = setting;
    this.start();
    const look = () => {
      void this.look();
      setting.time.later(4000, look);
    };
    setting.time.later(setting.chance.between(0, 4000), look);
  }

  get up(): boolean {
    return this.life !== null;
  }

  get room(): Room | null {
    return this.life?.room ?? null;
  }

  start(): void {
    this.life ??= { room: null, opening: null, over: false };
  }

  /** Ends like `kill -9`. */
  kill(): void {
    if (!this.life) return;
    this.life.over = true;
    this.life = null;
    for (const socket of this.sockets) socket.cut();
  }

  async enter(): Promise<Room> {
    const { life } = this;
    if (!life) throw new Error('no process');
    life.opening ??= this.open(life);
    const { opening } = life;
    try {
      return await opening;
    } catch (error) {
      if (life.opening === opening) life.opening = null;
      throw error;
    }
  }

  private async open(life: NonNullable<Server['life']>): Promise<Room> {
    const { disk, time } = this.setting;
    const stored = await alive(life, disk.load());
    const world: RoomWorld = {
      log: createLog({ append: (rows) => alive(life, disk.append(rows)) }),
      rows: (_name, _generation, from, to) => alive(life, disk.rowsAfter(from, to)),
      lastSeq: () => alive(life, disk.lastSeq()),
      claim: (_name, _generation, clientId, userId, how) => alive(life, disk.claim(clientId, userId, how)),
      cleanState: async (pieces) => makeClean(pieces),
      // Pieces that need a comparison are built of other bytes.
      untangled: async (pieces) => untangled(pieces, 0),
      limits: { ...limits, inlineStructs: 5 },
      storeSnapshot: (_name, _generation, seq, pieces) => alive(life, disk.storeSnapshot(seq, pieces)),
      publish: (_name, _generation, seq, bytes) => {
        if (life.over) return this.setting.violation('a killed process went on');
        for (const other of this.others) this.tell(other, seq, bytes);
      },
      now: () => new Date(time.now),
      soon: (work) => void time.later(0, () => life.over || work()),
      later: (ms, work) => time.later(ms, () => life.over || work()),
      event: (name, fields) => this.setting.event(name, fields),
    };
    const room = new Room(roomName, 'transcript', stored, world, () => {
      life.room = null;
      life.opening = null;
    });
    life.room = room;
    return room;
  }

  /** Publishes a row; some are lost, and some overtake each other. */
  private tell(other: Server, seq: number, bytes: Uint8Array): void {
    const { chance, time, troubled } = this.setting;
    if (troubled && chance.happens(0.2)) return;
    time.later(chance.between(1, 30), () => {
      const { room } = other;
      room?.receiveRow(seq, bytes).catch(() => room.drop('a gap that could not be filled', close.restart));
    });
  }

  private async look(): Promise<void> {
    const { life } = this;
    const room = life?.room;
    if (!life || !room) return;
    try {
      await room.refresh(await alive(life, this.setting.disk.lastSeq()));
    } catch {
      room.drop('a gap that could not be filled', close.restart);
    }
  }
}

/** Never settles once the process is gone. */
function alive<T>(life: { over: boolean }, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    promise.then(
      (value) => life.over || resolve(value),
      (error: unknown) => life.over || reject(error),
    );
  });
}

interface Caller {
  userId: string;
  canWrite: boolean;
  /** Called just after the client has read a message. */
  afterMessage(frame: Frame): void;
}

let numbers = 0;

/**
 * A socket: frames stay in order; those on their way are lost when it breaks, and each end notices that late or never.
 */
export class Socket implements Peer {
  readonly id = `s${(numbers += 1)}`;
  readonly wantsSaved = true;
  readonly userId: string;
  canWrite: boolean;
  /** Some read without deleted text, by the other way of answering. */
  readonly history: boolean;

  private readonly setting: Setting;
  private readonly server: Server;
  private readonly caller: Caller;
  private readonly events: WireEvents;
  private room: Room | null = null;
  private early: Uint8Array[] = [];
  /** Broken on the way: nothing passes any more. */
  private broken = false;
  private serverDone = false;
  private clientDone = false;
  private toServerAt = 0;
  private toClientAt = 0;
  private readonly slowness: number;
  /** True while the client takes nothing more: frames are lost. */
  private stalled = false;
  private queuedSeq: number | null = null;

  constructor(setting: Setting, server: Server, caller: Caller, events: WireEvents) {
    this.setting = setting;
    this.server = server;
    this.caller = caller;
    this.events = events;
    this.userId = caller.userId;
    this.canWrite = caller.canWrite;
    this.history = caller.canWrite;
    this.slowness = setting.chance.pick([5, 40, 300]);
    server.sockets.add(this);
    this.carry('client', () => events.open());
    this.carry('server', () => void this.arrive());
  }

  private carry(to: 'client' | 'server', work: () => void): void {
    const { time, chance } = this.setting;
    const soon = time.now + chance.between(1, this.slowness);
    const at =
      to === 'client'
        ? (this.toClientAt = Math.max(this.toClientAt, soon))
        : (this.toServerAt = Math.max(this.toServerAt, soon));
    time.later(at - time.now, () => {
      if (!this.broken && !(to === 'client' ? this.clientDone : this.serverDone)) work();
    });
  }

  private async arrive(): Promise<void> {
    try {
      const room = await this.server.enter();
      if (this.broken || this.serverDone) return;
      if (room.dropped) return this.close(close.restart, 'not ready');
      this.room = room;
      room.join(this);
      for (const bytes of this.early.splice(0)) this.receive(bytes);
    } catch {
      this.close(close.restart, 'not ready');
    }
  }

  // ---- The client's end ------------------------------------------------------------------------

  /** Sends a message of the client. */
  submit(bytes: Uint8Array): void {
    if (this.clientDone) return;
    this.carry('server', () => this.receive(bytes));
  }

  hangUp(): void {
    this.clientDone = true;
    this.carry('server', () => this.leave());
  }

  /** Breaks; each end notices it soon, late, or only by its own timeout. */
  cut(): void {
    if (this.broken) return;
    this.broken = true;
    const { time, chance } = this.setting;
    time.later(chance.pick([0, 50, 2000, 45_000]), () => this.leave());
    const hears = chance.pick([0, 50, 1000, null]);
    if (hears !== null || !this.server.up) time.later(hears ?? 100, () => this.clientClosed(1006));
  }

  private clientClosed(code: number): void {
    if (this.clientDone) return;
    this.clientDone = true;
    this.events.closed(code);
  }

  // ---- The server's end ------------------------------------------------------------------------

  private receive(bytes: Uint8Array): void {
    if (!this.room) {
      if (this.early.length >= 10) this.close(close.badFrame, 'too early');
      else this.early.push(bytes);
      return;
    }
    const frame = readFrame(bytes);
    if (frame.kind === 'askPresence') this.send(writeFrame({ kind: 'presence', update: Uint8Array.of(0) }));
    else this.room.receive(this, frame);
  }

  send(frame: Uint8Array, upTo?: number): void {
    if (this.stalled) return;
    if (upTo !== undefined) this.queuedSeq = Math.max(this.queuedSeq ?? 0, upTo);
    this.deliver(frame);
  }

  allows(): boolean {
    return true;
  }

  sendShared(shared: SharedFrames, without?: ReadonlySet<number>): void {
    if (this.stalled) return;
    if (shared.whole || this.queuedSeq !== null) this.queuedSeq = Math.max(this.queuedSeq ?? 0, shared.upTo);
    for (const [i, frame] of shared.frames.entries()) if (!without?.has(i)) this.deliver(frame);
  }

  private deliver(bytes: Uint8Array): void {
    if (this.serverDone) return;
    const frame = readFrame(bytes);
    if ((frame.kind === 'update' || frame.kind === 'state') && !this.setting.checked.has(bytes)) {
      this.setting.checked.add(bytes);
      if (!this.setting.disk.holds(frame.update)) this.setting.violation('somebody was sent what is not stored');
    }
    this.carry('client', () => {
      this.events.message(bytes);
      this.caller.afterMessage(frame);
    });
  }

  /** The client takes nothing for a while: frames sent meanwhile are lost, and sent again afterwards. */
  stall(ms: number): void {
    if (this.stalled || this.serverDone || this.broken || !this.room) return;
    this.stalled = true;
    this.setting.time.later(ms, () => {
      this.stalled = false;
      if (this.serverDone || this.broken || !this.room || this.room.dropped) return;
      this.room.resend(this, this.queuedSeq);
    });
  }

  close(code: number, _reason: string): void {
    if (this.serverDone) return;
    // A close code against an honest client is a fault of the server.
    if (code !== close.restart) this.setting.event('sent away', { user: this.userId, code });
    this.leave();
    this.carry('client', () => this.clientClosed(code));
  }

  loseWriting(): void {
    this.canWrite = false;
    this.room?.withdraw(this);
  }

  private leave(): void {
    if (this.serverDone) return;
    this.serverDone = true;
    this.server.sockets.delete(this);
    const { room } = this;
    this.room = null;
    room?.leave(this);
  }
}
