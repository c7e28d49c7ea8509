/** Timer that can be paused and then runs for the remaining time. */
export class Countdown {
  #left: number;
  #startedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #done: () => void;

  constructor(milliseconds: number, done: () => void) {
    this.#left = milliseconds;
    this.#done = done;
  }

  run(): void {
    if (this.#timer !== undefined) return;
    this.#startedAt = Date.now();
    this.#timer = setTimeout(this.#done, this.#left);
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left = Math.max(0, this.#left - (Date.now() - this.#startedAt));
  }
}
