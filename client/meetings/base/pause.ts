/**
 * Debounced work: runs after `rest` ms without a call, but at most `most` ms after the first call, so that constant
 * calls do not delay it for ever.
 */
export class Pause {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private since: number | null = null;
  private readonly work: () => void;
  private readonly rest: number;
  private readonly most: number;

  constructor(work: () => void, rest: number, most = 5_000) {
    this.work = work;
    this.rest = rest;
    this.most = most;
  }

  readonly ask = (): void => {
    const now = performance.now();
    this.since ??= now;
    // Overdue: the running timer must not be postponed again.
    if (now - this.since >= this.most) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => {
        this.drop();
        this.work();
      },
      Math.min(this.rest, this.since + this.most - now),
    );
  };

  /** Cancels the work, because it is done already or no longer needed. */
  drop(): void {
    clearTimeout(this.timer);
    this.since = null;
  }
}
