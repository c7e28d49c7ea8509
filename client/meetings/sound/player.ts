import type { MediumView } from '#shared/meetings/media.ts';
import { Signal } from '#shared/signal.ts';

import { browserStore } from './browser-store.ts';
import { keepRate, keptRate } from './stored-rate.ts';

export const rates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;
export const smallSkip = 2_000;
export const largeSkip = 10_000;
/** A spinner that comes and goes within this is only noise. */
const patience = 500;

/** Somebody asked for a place to be heard, or the place only follows what somebody does in the text. */
type Jump = 'asked' | 'quiet';

export interface PlayerState {
  playing: boolean;
  /** It should be playing, and has been waiting for bytes for a while. */
  waiting: boolean;
  /** It cannot be played here: what is written goes on all the same. */
  failed: 'line' | 'format' | null;
  /** Milliseconds; null until known. */
  duration: number | null;
  rate: number;
}

/**
 * The recording as it is being heard. One element for as long as the page is open, wherever on the page it is shown;
 * times are milliseconds. React reads the slow state; what moves with the sound listens to the time.
 */
export class Player {
  readonly medium: MediumView | null;
  readonly element: HTMLMediaElement;
  /** Where the element stands while nothing of it is to be seen. */
  readonly home = document.createElement('div');
  private state: PlayerState;
  private readonly signal = new Signal();
  private readonly time = new Signal<number>();
  private readonly jump = new Signal();
  private frame = 0;
  private late: ReturnType<typeof setTimeout> | undefined;
  /** Asked for before it was known how long the recording is. */
  private wanted: number | null = null;
  /** Of a stretch that is played by itself: where it ends, and where one was before. */
  private stretch: { to: number; back: number } | null = null;

  constructor(medium: MediumView | null) {
    this.medium = medium;
    this.element = document.createElement(medium?.tag === 'video' ? 'video' : 'audio');
    this.element.preload = 'metadata';
    if (this.element instanceof HTMLVideoElement) this.element.playsInline = true;
    this.home.hidden = true;
    this.home.append(this.element);
    const duration = medium?.duration ?? null;
    this.state = {
      playing: false,
      waiting: false,
      failed: null,
      duration: duration === null ? null : duration * 1000,
      rate: 1,
    };
  }

  /** Begins to fetch and to listen; what it answers ends that. */
  open(): () => void {
    const ending = new AbortController();
    const on = (name: keyof HTMLMediaElementEventMap, work: () => void) =>
      this.element.addEventListener(name, work, { signal: ending.signal });
    on('play', () => this.set({ playing: true }));
    on('playing', () => this.notLate());
    on('canplay', () => this.notLate());
    on('pause', () => this.stopped());
    on('ended', () => this.stopped());
    on('waiting', () => {
      this.late ??= setTimeout(() => this.set({ waiting: true }), patience);
    });
    on('loadedmetadata', () => {
      const { duration: seconds } = this.element;
      this.set({ failed: null, ...(Number.isFinite(seconds) && { duration: seconds * 1000 }) });
      if (this.wanted !== null) this.element.currentTime = this.wanted / 1000;
      this.wanted = null;
    });
    on('ratechange', () => this.set({ rate: this.element.playbackRate }));
    on('error', () => {
      const line = this.element.error?.code === MediaError.MEDIA_ERR_NETWORK;
      this.stopped();
      this.set({ failed: line ? 'line' : 'format' });
    });
    on('seeking', () => this.tell());
    on('timeupdate', () => this.tell());
    on('play', () => this.run());
    if (this.state.failed) this.set({ failed: null });
    this.setRate(keptRate(browserStore));
    if (this.medium) this.element.src = this.medium.src;
    return () => {
      cancelAnimationFrame(this.frame);
      clearTimeout(this.late);
      ending.abort();
      // Opened again, it goes on where it was.
      this.wanted = this.ms > 0 ? this.ms : null;
      this.stopped();
      this.element.pause();
      this.element.removeAttribute('src');
      this.element.load();
    };
  }

  // ---- Subscribing -----------------------------------------------------------------------------

  /** For React's useSyncExternalStore. */
  readonly subscribe = this.signal.subscribe;

  readonly now = (): PlayerState => this.state;

  /** Emits the time each frame while it plays, and after every jump. */
  readonly onTime = this.time.subscribe;

  /** Emits after somebody asked for another place. */
  readonly onJump = this.jump.subscribe;

  get ms(): number {
    return this.wanted ?? this.element.currentTime * 1000;
  }

  private set(change: Partial<PlayerState>): void {
    this.state = { ...this.state, ...change };
    this.signal.emit();
  }

  private stopped(): void {
    this.notLate();
    if (this.state.playing) this.set({ playing: false });
  }

  private notLate(): void {
    clearTimeout(this.late);
    this.late = undefined;
    if (this.state.waiting) this.set({ waiting: false });
  }

  private tell(): void {
    const { ms } = this;
    this.time.emit(ms);
    if (this.stretch && ms >= this.stretch.to) {
      const { back } = this.stretch;
      this.pause();
      this.seek(back, 'quiet');
    }
  }

  private run(): void {
    cancelAnimationFrame(this.frame);
    const step = () => {
      this.tell();
      if (!this.element.paused) this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  // ---- Control ---------------------------------------------------------------------------------

  /** From a place, or from where it stands. */
  play(from?: number, how: Jump = 'asked'): void {
    if (!this.medium || this.state.failed) return;
    if (from !== undefined) this.seek(from, how);
    this.element.play().catch((error: unknown) => {
      // A browser that wants a press first, or a pause that came at once: it just does not play.
      if (error instanceof DOMException && ['NotAllowedError', 'AbortError'].includes(error.name)) return;
      this.stopped();
      this.set({ failed: 'format' });
    });
  }

  pause(): void {
    this.stretch = null;
    this.element.pause();
    // Its event comes later, and who asks in between wants to know.
    this.stopped();
  }

  toggle(): void {
    if (this.element.paused) this.play();
    else this.pause();
  }

  seek(ms: number, how: Jump = 'asked'): void {
    this.stretch = null;
    const to = Math.min(Math.max(0, ms), this.state.duration ?? Number.POSITIVE_INFINITY);
    if (this.element.readyState >= HTMLMediaElement.HAVE_METADATA) this.element.currentTime = to / 1000;
    else this.wanted = to;
    this.tell();
    if (how === 'asked') this.jump.emit();
  }

  skip(by: number): void {
    this.seek(this.ms + by);
  }

  /** Plays a stretch by itself and goes back to where one was; whatever is done meanwhile ends that. */
  playStretch(from: number, to: number): void {
    const back = this.stretch?.back ?? this.ms;
    this.play(from, 'quiet');
    this.stretch = { to, back };
  }

  /** What is heard is a stretch, not the recording as it goes on. */
  get inStretch(): boolean {
    return this.stretch !== null;
  }

  /** For now: as while somebody types. */
  setRate(rate: number): void {
    const [slowest, fastest] = [rates[0], rates.at(-1) ?? rates[0]];
    this.element.defaultPlaybackRate = Math.min(Math.max(slowest, rate), fastest);
    this.element.playbackRate = this.element.defaultPlaybackRate;
    this.element.preservesPitch = true;
    // Its event is lost where the recording is only about to be fetched.
    this.set({ rate: this.element.playbackRate });
  }

  /** As this person likes to listen: next time, too. */
  chooseRate(rate: number): void {
    this.setRate(rate);
    keepRate(browserStore, rate);
  }

  /** The next of the offered rates in that direction. */
  changeRate(direction: 1 | -1): void {
    const { rate } = this.state;
    const next = direction === 1 ? rates.find((one) => one > rate) : rates.findLast((one) => one < rate);
    if (next !== undefined) this.chooseRate(next);
  }

  /** After a failure: from the place where it was. */
  retry(): void {
    this.wanted = this.ms;
    this.set({ failed: null });
    this.element.load();
  }

  /** Shows the element in a place on the page. To move it there at once keeps it playing; to take it away would not. */
  put(place: HTMLElement): void {
    if (this.element.parentElement !== place) place.append(this.element);
  }
}
