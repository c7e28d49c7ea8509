/** Runs work once after the next paint, however often it is requested, so that typed letters show first. */
export class AfterPaint {
  private frame = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly work: () => void;

  constructor(work: () => void) {
    this.work = work;
  }

  readonly ask = (): void => {
    if (this.timer !== undefined) return;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.timer = setTimeout(() => {
        this.timer = undefined;
        this.work();
      });
    });
  };

  drop(): void {
    cancelAnimationFrame(this.frame);
    clearTimeout(this.timer);
    this.frame = 0;
    this.timer = undefined;
  }
}
