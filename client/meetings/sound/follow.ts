import { Signal } from '#shared/signal.ts';
/** Position of the current line in the window. */
const third = 1 / 3;

type FollowEvent = 'scrolled' | 'typed' | 'jumped' | 'started' | 'back';

/** Whether the text keeps following the sound. Scrolling or typing while paused changes nothing. */
export function followsAfter(follows: boolean, event: FollowEvent, playing: boolean): boolean {
  return event === 'scrolled' || event === 'typed' ? follows && !playing : true;
}

interface Stretch {
  top: number;
  height: number;
}

/** Whether the middle of a line is in the window. */
export const isSeen = (line: Stretch, port: Stretch): boolean => {
  const middle = line.top + line.height / 2;
  return middle >= port.top && middle <= port.top + port.height;
};

/** Height of a line of text by that of the box of its words, from the middle of the line to its end. */
const halfLine = 0.6;

/** Whether a height in the window is within a line. */
export const isAt = (line: Stretch, y: number): boolean =>
  Math.abs(line.top + line.height / 2 - y) <= line.height * halfLine;

/** Scroll distance that brings a line to a third of the window; 0 if it is close enough. */
export function wayTo(line: Stretch, port: Stretch): number {
  const by = line.top - (port.top + port.height * third);
  return Math.abs(by) < Math.max(8, line.height / 2) ? 0 : by;
}

/** Jumps over long distances, and always for people who prefer reduced motion. */
export function behaviorFor(by: number, port: Stretch, still: boolean): 'smooth' | 'instant' {
  return still || Math.abs(by) > port.height ? 'instant' : 'smooth';
}

/** Events of the window after which no pointer is pressed; a menu or another window takes the `pointerup`. */
export const releases = ['pointerup', 'pointercancel', 'contextmenu', 'blur'] as const;
/** Keys that scroll the text. */
const scrollKeys = ['PageUp', 'PageDown'];
/** Heights above the window are guesses until drawn, so the position is checked again after each scroll. */
const attempts = 6;

/** Keeps the current words in view until the person scrolls away. */
export class Follow {
  private follows = true;
  private port: HTMLElement | null = null;
  private target = Number.NaN;
  private frame = 0;
  /** A pointer is pressed in the text. */
  private pressed = false;
  /** Height of the latest press in the text; after it, the text moves only when the line leaves the window. */
  private calmAt: number | null = null;
  private readonly playing: () => boolean;
  private readonly signal = new Signal();

  constructor(playing: () => boolean) {
    this.playing = playing;
  }

  readonly subscribe = this.signal.subscribe;

  readonly following = (): boolean => this.follows;

  happened(event: FollowEvent): void {
    const now = followsAfter(this.follows, event, this.playing());
    if (event === 'scrolled') this.settle();
    if (now === this.follows) return;
    this.follows = now;
    this.signal.emit();
  }

  /**
   * Watches a scrolling element; the returned function ends it. Only input by hand counts, not scrolling by the page.
   */
  attach(port: HTMLElement): () => void {
    this.port = port;
    const ending = new AbortController();
    const { signal } = ending;
    const scrolled = () => this.happened('scrolled');
    port.addEventListener('wheel', (event) => event.deltaY !== 0 && !event.ctrlKey && scrolled(), {
      passive: true,
      signal,
    });
    port.addEventListener('touchmove', scrolled, { passive: true, signal });
    port.addEventListener('scrollend', () => (this.target = Number.NaN), { signal });
    port.addEventListener('keydown', ({ code }) => scrollKeys.includes(code) && scrolled(), { signal });
    const pressed = (event: PointerEvent) => {
      // A press on the element itself, right of its content, is on the scroll bar.
      if (event.target === port && event.offsetX >= port.clientWidth) return scrolled();
      this.settle();
      this.calmAt = event.clientY;
      // A finger scrolls; it is not pressed on words to select them, and neither are the other buttons of a mouse.
      this.pressed = event.pointerType !== 'touch' && event.button === 0;
    };
    const released = () => (this.pressed = false);
    port.addEventListener('pointerdown', pressed, { signal });
    for (const name of releases) window.addEventListener(name, released, { signal });
    return () => {
      ending.abort();
      released();
      this.settle();
      this.port = null;
    };
  }

  private settle(): void {
    cancelAnimationFrame(this.frame);
    // A smooth scroll still running would undo the person's own scrolling.
    if (this.port && !Number.isNaN(this.target)) this.port.scrollTo({ top: this.port.scrollTop, behavior: 'instant' });
    this.target = Number.NaN;
  }

  /** Follows the box that `where` returns, but never moves the text under a pressed pointer. */
  keep(where: () => DOMRect | null): void {
    if (this.pressed) return;
    const { calmAt, port } = this;
    const line = calmAt !== null && port ? where() : null;
    // A line that the edge of the window cuts was seen well enough to be pressed.
    if (line && calmAt !== null && port && (isAt(line, calmAt) || isSeen(line, port.getBoundingClientRect()))) return;
    this.bring(where);
  }

  /** Scrolls the box that `where` returns to a third of the window. */
  bring(where: () => DOMRect | null): void {
    this.calmAt = null;
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    const go = (left: number, instant: boolean): void => {
      const { port } = this;
      const line = where();
      if (!port || !line) return;
      const box = port.getBoundingClientRect();
      const by = wayTo(line, box);
      if (by === 0) return;
      const most = port.scrollHeight - port.clientHeight;
      const target = Math.min(Math.max(0, port.scrollTop + by), most);
      const behavior = instant ? 'instant' : behaviorFor(by, box, still);
      // Already scrolling there, or as close as the end of the text allows.
      if (Math.abs(target - this.target) < 2 || Math.abs(target - port.scrollTop) < 1) return;
      this.target = behavior === 'smooth' ? target : Number.NaN;
      port.scrollTo({ top: target, behavior });
      if (behavior === 'instant' && left > 0) this.frame = requestAnimationFrame(() => go(left - 1, true));
    };
    cancelAnimationFrame(this.frame);
    go(attempts, false);
  }
}
