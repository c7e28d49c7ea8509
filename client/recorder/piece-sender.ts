import { writePiece, type StopReason, type TakeMessage } from '#shared/recorder.ts';
import { close } from '#sync/protocol.ts';

import type { Piece, PieceStore, StoredTake } from './piece-store.ts';

/**
 * Cause of unsent pieces. `late`: the file of the recording is already made. `refused`: the server takes no more of
 * this take. `elsewhere`: another tab or device records.
 */
export type SendTrouble = 'network' | 'login' | 'access' | 'disk' | 'late' | 'refused' | 'elsewhere';

/** Troubles that end by themselves. */
const passing: readonly SendTrouble[] = ['network', 'login', 'disk'];

interface TakeLine {
  send(message: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
}

export interface SenderWorld {
  later(ms: number, work: () => void): { cancel: () => void };
  random(): number;
  connect(take: string, events: { said: (message: TakeMessage) => void; closed: (code: number) => void }): TakeLine;
  /** These reject with `TakeRefused`. */
  begin(take: StoredTake, takeOver: boolean): Promise<string>;
  put(take: string, piece: Piece): Promise<number>;
  end(take: string, total: number): Promise<void>;
  /** Sends a piece while the page is being closed. */
  putLast(take: string, piece: Piece): void;
}

export class TakeRefused extends Error {
  override readonly name = 'TakeRefused';
  readonly why: SendTrouble;

  constructor(why: SendTrouble, cause?: unknown) {
    super(why, { cause });
    this.why = why;
  }
}

interface SenderEvents {
  /** Kept pieces or the trouble changed. */
  changed(): void;
  stopped(why: StopReason): void;
}

/** Bytes that wait to be sent, above which the older ones go by HTTP. */
const mostWaiting = 256 * 1024;
/** Bytes that a browser sends for a page that is closed. */
const mostLast = 60 * 1024;
const firstPause = 500;
const longestPause = 15_000;
/** Sockets that failed in a row, after which pieces are sent by HTTP. */
const fewFailures = 3;

/** Sends the pieces of one take, and forgets each only when the server says that it keeps it. */
export class PieceSender {
  /** Number of pieces that the server keeps without a hole. */
  kept = 0;
  trouble: SendTrouble | null = null;
  /** The server has all pieces, and knows how many there are. */
  done = false;
  private readonly pending = new Map<number, Uint8Array<ArrayBuffer>>();
  /** Pieces that went over the line that is open. */
  private readonly sent = new Set<number>();
  private line: TakeLine | null = null;
  /** Told by the open line what is kept. */
  private ready = false;
  private draining = false;
  /** The last piece that goes by HTTP. */
  private drainTo = 0;
  private finishing = false;
  private halted = false;
  private failures = 0;
  private timer: { cancel: () => void } | null = null;
  private readonly take: StoredTake;
  private readonly world: SenderWorld;
  private readonly store: PieceStore;
  private readonly events: SenderEvents;

  constructor(take: StoredTake, world: SenderWorld, store: PieceStore, events: SenderEvents) {
    this.take = take;
    this.world = world;
    this.store = store;
    this.events = events;
  }

  get waits(): boolean {
    return this.pending.size > 0;
  }

  /** Nothing more will be sent from this page. */
  get settled(): boolean {
    return this.done || this.halted;
  }

  start(takeOver = false): void {
    this.halted = false;
    this.trouble = null;
    if (this.take.take === null) void this.begin(takeOver);
    else this.connect();
  }

  add(piece: Piece): void {
    this.pending.set(piece.n, piece.bytes);
    this.pump();
  }

  finish(total: number): void {
    this.take.total = total;
    this.keepTake();
    if (this.ready) this.line?.send(JSON.stringify({ end: total }));
    this.pump();
  }

  /** Stops sending; what is not sent stays on this device. */
  halt(): void {
    this.halted = true;
    this.timer?.cancel();
    this.line?.close();
    this.line = null;
    this.ready = false;
  }

  /** Tries again at once, as the network may be back. */
  wake(): void {
    if (this.settled || this.line || !this.timer) return;
    this.timer.cancel();
    this.timer = null;
    this.retry();
  }

  /** Sends what the server may not have, while the page is being closed. */
  leave(): void {
    const { take } = this.take;
    if (take === null || this.settled) return;
    let bytes = 0;
    for (const [n, one] of this.pending) {
      bytes += one.byteLength;
      if (bytes > mostLast) return;
      this.world.putLast(take, { n, bytes: one });
    }
  }

  private keepTake(): void {
    // Without storage in the browser, pieces go straight to the server.
    this.store.putTake({ ...this.take }).catch(() => {});
  }

  private async begin(takeOver: boolean): Promise<void> {
    try {
      this.take.take = await this.world.begin(this.take, takeOver);
    } catch (error) {
      return this.failed(error);
    }
    this.keepTake();
    if (!this.halted) this.connect();
  }

  private connect(): void {
    const { take } = this.take;
    if (take === null || this.line || this.settled) return;
    let own: TakeLine | null = null;
    own = this.world.connect(take, {
      said: (message) => own === this.line && this.hear(message),
      closed: (code) => own === this.line && this.closed(code),
    });
    this.line = own;
  }

  private hear(message: TakeMessage): void {
    if ('stop' in message) {
      if (message.stop === 'disk') this.trouble = 'disk';
      this.events.stopped(message.stop);
      return this.events.changed();
    }
    this.ready = true;
    this.failures = 0;
    this.trouble = null;
    this.hearKept(message.kept);
    this.pump();
  }

  private hearKept(kept: number): void {
    if (kept > this.kept) {
      this.kept = kept;
      for (const n of this.pending.keys()) if (n <= kept) this.pending.delete(n);
      this.store.forgetPieces(this.take.key, kept).catch(() => {});
    }
    this.events.changed();
  }

  private closed(code: number): void {
    this.line = null;
    this.ready = false;
    this.sent.clear();
    if (this.settled) return;
    switch (code) {
      case close.noAccess:
        return this.giveUp('access');
      case close.badFrame:
      case close.documentFull:
        return this.giveUp('refused');
      case 1000:
        // The recording takes no more; only pieces that it does not have are lost to it.
        return this.waits ? this.giveUp('late') : this.again(this.trouble);
      default:
        return this.again(code === close.sessionEnded ? 'login' : this.trouble === 'disk' ? 'disk' : 'network');
    }
  }

  private failed(error: unknown): void {
    if (this.settled) return;
    const why = error instanceof TakeRefused ? error.why : 'network';
    if (passing.includes(why)) this.again(why);
    else this.giveUp(why);
  }

  private giveUp(why: SendTrouble): void {
    this.trouble = why;
    this.halt();
    this.events.changed();
  }

  private again(why: SendTrouble | null): void {
    this.trouble = why;
    this.failures += 1;
    const pause = Math.min(longestPause, firstPause * 2 ** (this.failures - 1));
    this.timer?.cancel();
    this.timer = this.world.later(pause * (0.5 + this.world.random() / 2), () => {
      this.timer = null;
      // Some networks let no sockets through; HTTP also tells why the server refuses.
      if (this.failures >= fewFailures && this.waits && this.take.take !== null) this.drain(Number.MAX_SAFE_INTEGER);
      this.retry();
    });
    this.events.changed();
  }

  private retry(): void {
    if (this.take.take === null) void this.begin(false);
    else this.connect();
    this.pump();
  }

  private pump(): void {
    const { total } = this.take;
    if (this.settled || this.take.take === null) return;
    if (total !== null && !this.waits) return void this.conclude(this.take.take, total);
    if (!this.ready || !this.line) return;
    const unsent = [...this.pending].filter(([n]) => n > this.drainTo && !this.sent.has(n));
    const bytes = unsent.reduce((sum, [, one]) => sum + one.byteLength, 0);
    if (!this.draining && bytes > mostWaiting) return this.drain(unsent.at(-1)?.[0] ?? 0);
    for (const [n, one] of unsent) {
      this.line.send(writePiece(n, one));
      this.sent.add(n);
    }
    if (total !== null && unsent.length > 0) this.line.send(JSON.stringify({ end: total }));
  }

  /** Sends pieces up to this one by HTTP, oldest first. */
  private drain(upTo: number): void {
    if (this.draining || this.take.take === null) return;
    this.draining = true;
    this.drainTo = upTo;
    void this.drainFrom(this.take.take).then(
      () => this.drained(),
      (error: unknown) => {
        this.drained();
        this.failed(error);
      },
    );
  }

  private async drainFrom(take: string): Promise<void> {
    for (;;) {
      const [oldest] = this.pending;
      if (this.settled || !oldest || oldest[0] > this.drainTo) return;
      const [n, bytes] = oldest;
      const kept = await this.world.put(take, { n, bytes });
      // A hole before it: nobody has the missing piece any more.
      if (kept < n) this.pending.delete(n);
      this.trouble = null;
      this.hearKept(kept);
    }
  }

  private drained(): void {
    this.draining = false;
    this.drainTo = 0;
    this.pump();
  }

  /** Tells the server how many pieces there are; the line does not answer that. */
  private async conclude(take: string, total: number): Promise<void> {
    if (this.finishing) return;
    this.finishing = true;
    try {
      await this.world.end(take, total);
    } catch (error) {
      this.finishing = false;
      const why = error instanceof TakeRefused ? error.why : 'network';
      if (passing.includes(why)) return this.settled ? undefined : this.again(why);
    }
    this.done = true;
    this.trouble = null;
    this.halt();
    await this.store.forgetTake(this.take.key).catch(() => {});
    this.events.changed();
  }
}
