import type { Clock } from '#server/clock.ts';

/** Clock that shows the real time until a test moves it. */
export class MovableClock implements Clock {
  private offset = 0;
  now = (): Date => new Date(Date.now() + this.offset);
  forward(seconds: number): void {
    this.offset += seconds * 1000;
  }
}
