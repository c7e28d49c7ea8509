import { close } from '../protocol.ts';
import type { ClientWorld, Wire } from './provider.ts';

const firstDelay = 500;
const longestDelay = 30_000;
/** The server says that it is there every 15 s. */
const silence = 45_000;

export interface NewsEvents {
  /** A message as it came, not checked. */
  received(news: unknown): void;
  /** Whether messages would come now. */
  connected(yes: boolean): void;
}

/** A line on which only the server speaks. While it is away, its owner asks by other ways. */
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
  private readonly unlisten: (() => void) | undefined;

  constructor(path: string, world: ClientWorld, events: NewsEvents) {
    this.path = path;
    this.world = world;
    this.events = events;
    this.unlisten = world.listen?.((news) => {
      if (news === 'offline') this.lost(0);
      else if (!this.wire && !this.stopped) {
        this.attempt = 0;
        this.connect();
      }
    });
    this.connect();
  }

  stop(): void {
    this.stopped = true;
    this.unlisten?.();
    this.lost(0);
    this.retry?.cancel();
  }

  private connect(): void {
    this.retry?.cancel();
    // What an earlier line still says is nobody's.
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
    // Whose session has ended is told so by whatever they ask next.
    if (this.stopped || code === close.sessionEnded) return;
    const most = Math.min(longestDelay, firstDelay * 2 ** this.attempt);
    this.attempt += 1;
    this.retry = this.world.later(most / 2 + (this.world.random() * most) / 2, () => this.connect());
  }
}
