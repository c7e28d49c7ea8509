/**
 * Work that waits for a pause: done when nothing was heard for `rest`, but at the latest `most` after the first was
 * heard, so that whoever never stops does not keep it away.
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

  readonly heard = (): void => {
    const now = performance.now();
    this.since ??= now;
    // Due at this very moment: nothing puts it off any more.
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

  /** Somebody has done the work meanwhile, or nobody wants it any more. */
  drop(): void {
    clearTimeout(this.timer);
    this.since = null;
  }
}
