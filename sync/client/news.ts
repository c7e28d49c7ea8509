import { close } from '../protocol.ts';
import type { ClientWorld, Wire } from './provider.ts';

const firstDelay = 500;
const longestDelay = 30_000;
/** The server sends something every 15 s. */
const silence = 45_000;

export interface NewsEvents {
  /** A message as it came, not checked. */
  received(news: unknown): void;
  /** Whether messages would come now. */
  connected(yes: boolean): void;
}

/** A connection on which only the server sends. While it is down, its owner asks over REST. */
export class NewsLine {
  private readonly path: string;
  private readonly world: ClientWorld;
  private readonly events: NewsEvents;
  private wire: Wire | null = null;
  private greeted = false;
  private attempt = 0;
  private retry: { cancel(): void } | null = null;
  private watchdog: { cancel(): void } | null = null;
  private stopped = false;
  private readonly unsubscribe: (() => void) | undefined;

  constructor(path: string, world: ClientWorld, events: NewsEvents) {
    this.path = path;
    this.world = world;
    this.events = events;
    this.unsubscribe = world.subscribe?.((event) => {
      if (event === 'offline') this.lost(0);
      else if (!this.wire && !this.stopped) {
        this.attempt = 0;
        this.connect();
      }
    });
    this.connect();
  }

  stop(): void {
    this.stopped = true;
    this.unsubscribe?.();
    this.lost(0);
    this.retry?.cancel();
  }

  private connect(): void {
    this.retry?.cancel();
    // Ignores what an earlier connection still sends.
    let wire: Wire | null = null;
    const ours = (work: () => void) => () => wire !== null && this.wire === wire && work();
    wire = this.world.connect(this.path, {
      open: () => {},
      message: (bytes) => ours(() => this.onMessage(bytes))(),
      closed: (code) => ours(() => this.lost(code))(),
    });
    this.wire = wire;
    this.listenForSilence();
  }

  private onMessage(bytes: Uint8Array): void {
    this.listenForSilence();
    let news: unknown;
    try {
      news = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      return this.lost(0);
    }
    this.attempt = 0;
    if (!this.greeted) {
      this.greeted = true;
      this.events.connected(true);
    }
    this.events.received(news);
  }

  private listenForSilence(): void {
    this.watchdog?.cancel();
    this.watchdog = this.world.later(silence, () => this.lost(0));
  }

  private lost(code: number): void {
    const { wire, greeted } = this;
    this.watchdog?.cancel();
    if (!wire) return;
    this.wire = null;
    this.greeted = false;
    wire.close();
    if (greeted) this.events.connected(false);
    // After the end of the session, the next request says so.
    if (this.stopped || code === close.sessionEnded) return;
    const most = Math.min(longestDelay, firstDelay * 2 ** this.attempt);
    this.attempt += 1;
    this.retry = this.world.later(most / 2 + (this.world.random() * most) / 2, () => this.connect());
  }
}
