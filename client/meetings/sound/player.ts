import type { MediumView } from '#shared/meetings/media.ts';
import { Signal } from '#shared/signal.ts';

import { browserStore } from './browser-store.ts';
import { storedJumps, storeJump, type JumpKind, type Jumps } from './stored-jumps.ts';
import { storeRate, storedRate } from './stored-rate.ts';

export const rates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;
/** Shorter waits show no spinner, because it would only flicker. */
const patience = 500;

/** Whether a person asked for the position, or playback only follows an action in the text. */
type Jump = 'asked' | 'quiet';

export interface PlayerState {
  playing: boolean;
  /** Should be playing, but has been waiting for data for a while. */
  waiting: boolean;
  /** Playback failed; editing still works. */
  failed: 'line' | 'format' | null;
  /** Milliseconds; null until known. */
  duration: number | null;
  rate: number;
  jumps: Jumps;
}

/**
 * Playback of the recording. One media element for the life of the page, wherever it is shown; times are milliseconds.
 * React reads the slow state; code that moves with the sound subscribes to the time.
 */
export class Player {
  readonly medium: MediumView | null;
  readonly element: HTMLMediaElement;
  /** Parent of the element while it is not shown. */
  readonly home = document.createElement('div');
  private state: PlayerState;
  private readonly signal = new Signal();
  private readonly time = new Signal<number>();
  private readonly jump = new Signal();
  private readonly start = new Signal();
  private readonly silent = new Signal();
  private frame = 0;
  /** Factor of a nudge; 1 without. */
  private nudged = 1;
  private late: ReturnType<typeof setTimeout> | undefined;
  /** Position requested before the recording's length was known. */
  private wanted: number | null = null;
  /** Excerpt being played: its end, and the position to return to. */
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
      jumps: storedJumps(browserStore),
    };
  }

  /** Starts loading and listening to events; the returned function ends it. */
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
    on('ratechange', () => this.nudged === 1 && this.set({ rate: this.element.playbackRate }));
    on('error', () => {
      const line = this.element.error?.code === MediaError.MEDIA_ERR_NETWORK;
      this.stopped();
      this.set({ failed: line ? 'line' : 'format' });
    });
    on('seeking', () => this.tell());
    on('timeupdate', () => this.tell());
    on('play', () => this.run());
    if (this.state.failed) this.set({ failed: null });
    this.setRate(storedRate(browserStore));
    if (this.medium) this.element.src = this.medium.src;
    return () => {
      cancelAnimationFrame(this.frame);
      clearTimeout(this.late);
      ending.abort();
      // Continues at the same position when opened again.
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

  /** Emits the time on each frame during playback, and after every jump. */
  readonly onTime = this.time.subscribe;

  /** Emits after a person asked for another position. */
  readonly onJump = this.jump.subscribe;

  /** Emits when a person starts playback. */
  readonly onStart = this.start.subscribe;

  /** Emits when a person asks to play a recording without sound. */
  readonly onSilent = this.silent.subscribe;

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

  /** Plays from a position, or from the current one. */
  play(from?: number, how: Jump = 'asked'): void {
    if (!this.medium && how === 'asked') this.silent.emit();
    if (!this.medium || this.state.failed) return;
    if (from !== undefined) this.seek(from, how);
    if (how === 'asked') this.start.emit();
    this.element.play().catch((error: unknown) => {
      // Autoplay was blocked, or a pause came at once: no failure, just no playback.
      if (error instanceof DOMException && ['NotAllowedError', 'AbortError'].includes(error.name)) return;
      this.stopped();
      this.set({ failed: 'format' });
    });
  }

  pause(): void {
    this.stretch = null;
    this.element.pause();
    // The pause event comes later, but readers in between need the new state.
    this.stopped();
  }

  toggle(): void {
    if (this.element.paused) this.play();
    else this.pause();
  }

  seek(ms: number, how: Jump = 'asked'): void {
    this.stretch = null;
    const to = Math.min(Math.max(0, ms), this.state.duration ?? Number.POSITIVE_INFINITY);
    // The length may be known before its event has come, which would go to a position requested earlier.
    const loaded = this.element.readyState >= HTMLMediaElement.HAVE_METADATA;
    this.wanted = loaded ? null : to;
    if (loaded) this.element.currentTime = to / 1000;
    this.tell();
    if (how === 'asked') this.jump.emit();
  }

  /** Jumps back or forward by one of the two sizes. */
  jumpBy(kind: JumpKind, direction: 1 | -1): void {
    this.seek(this.ms + direction * this.state.jumps[kind]);
  }

  /** Sets the size of a jump and stores it for next time. */
  chooseJump(kind: JumpKind, ms: number): void {
    this.set({ jumps: { ...this.state.jumps, [kind]: ms } });
    storeJump(browserStore, kind, ms);
  }

  /** Plays an excerpt and returns to the position before it; any other command ends that. */
  playStretch(from: number, to: number): void {
    const back = this.stretch?.back ?? this.ms;
    this.play(from, 'quiet');
    this.stretch = { to, back };
  }

  /** True while an excerpt plays. */
  get inStretch(): boolean {
    return this.stretch !== null;
  }

  /** Sets the rate temporarily, as while typing. */
  setRate(rate: number): void {
    const [slowest, fastest] = [rates[0], rates.at(-1) ?? rates[0]];
    this.nudged = 1;
    this.element.defaultPlaybackRate = Math.min(Math.max(slowest, rate), fastest);
    this.element.playbackRate = this.element.defaultPlaybackRate;
    this.element.preservesPitch = true;
    // No event is fired before the recording is loaded.
    this.set({ rate: this.element.playbackRate });
  }

  /** Plays a little faster or slower than the rate that is shown, to stay with somebody else's playback. */
  nudge(by: number): void {
    this.nudged = by;
    this.element.playbackRate = this.state.rate * by;
  }

  /** Sets the rate and stores it for next time. */
  chooseRate(rate: number): void {
    this.setRate(rate);
    storeRate(browserStore, rate);
  }

  /** Next offered rate in that direction. */
  changeRate(direction: 1 | -1): void {
    const { rate } = this.state;
    const next = direction === 1 ? rates.find((one) => one > rate) : rates.findLast((one) => one < rate);
    if (next !== undefined) this.chooseRate(next);
  }

  /** Loads again after a failure, at the same position. */
  retry(): void {
    this.wanted = this.ms;
    this.set({ failed: null });
    this.element.load();
  }

  /** Shows the element in a place on the page. Moving it directly keeps it playing; removing it first would not. */
  put(place: HTMLElement): void {
    if (this.element.parentElement !== place) place.append(this.element);
  }
}
