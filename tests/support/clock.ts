import type { Clock } from '#server/clock.ts';

/** Clock that shows the real time until a test moves or stops it. */
export class MovableClock implements Clock {
  private offset = 0;
  private stoppedAt: number | null = null;
  now = (): Date => new Date((this.stoppedAt ?? Date.now()) + this.offset);
  /** From now on time passes by `forward` alone, however slow the machine is; it begins at `at`. */
  stop(at = Date.now()): void {
    this.stoppedAt = at;
  }
  forward(seconds: number): void {
    this.offset += seconds * 1000;
  }
}
