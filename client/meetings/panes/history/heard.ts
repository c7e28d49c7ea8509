import { Follow } from '../../sound/follow.ts';
import type { Player } from '../../sound/player.ts';

export interface Timed {
  start: number;
}

/** Finds the index of the segment heard at a time. Sorts them first: speakers interrupt each other. */
export function heardAt(segments: readonly Timed[]): (ms: number) => number | null {
  const order = segments.map(({ start }, place) => ({ ms: start * 1000, place })).toSorted((a, b) => a.ms - b.ms);
  return (ms) => {
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((order[middle]?.ms ?? 0) <= ms) low = middle + 1;
      else high = middle;
    }
    return order[low - 1]?.place ?? null;
  };
}

/** Highlights the segment being played and keeps it in view until the reader scrolls away. Works outside React. */
export class Heard {
  readonly follow: Follow;
  private readonly player: Player;
  private readonly list: HTMLElement;
  private readonly placeAt: (ms: number) => number | null;
  private marked: Element | null = null;

  constructor(player: Player, list: HTMLElement, segments: readonly Timed[]) {
    this.player = player;
    this.list = list;
    this.placeAt = heardAt(segments);
    this.follow = new Follow(() => player.now().playing);
  }

  /** Starts in a scroll container; the returned function stops it. */
  open(port: HTMLElement): () => void {
    const ends = [
      this.follow.attach(port),
      this.player.onTime((ms) => this.show(ms)),
      this.player.onJump(() => {
        this.follow.happened('jumped');
        this.bring();
      }),
    ];
    this.show(this.player.ms);
    return () => {
      for (const end of ends) end();
    };
  }

  private show(ms: number): void {
    const place = ms > 0 || this.player.now().playing ? this.placeAt(ms) : null;
    const element = place === null ? null : this.list.querySelector(`[data-place="${place}"]`);
    if (element === this.marked && element?.isConnected !== false) return;
    this.marked?.removeAttribute('data-heard');
    this.marked = element;
    element?.setAttribute('data-heard', '');
    if (this.player.now().playing && this.follow.following()) this.bring();
  }

  bring(): void {
    this.follow.bring(() => this.marked?.getBoundingClientRect() ?? null);
  }
}
