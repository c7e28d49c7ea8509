/** Work of one kind in one turn of the event loop, bounded for all rooms and sockets together, and fair between people. */
export class Share {
  /** Units of work that may still be done in this turn. */
  left: number;
  private readonly most: number;
  /** Work of each person that waits; the first in the map has the next turn. */
  private readonly queues = new Map<string, (() => void)[]>();
  private scheduled = false;

  constructor(most: number) {
    this.most = most;
    this.left = most;
  }

  /** Does the work at once where this turn has room for it and nothing of the same person waits; else when it has. */
  now(whose: string, units: number, work: () => void): void {
    if (this.left <= 0 || this.queues.has(whose)) {
      this.soon(whose, () => {
        this.left -= units;
        work();
      });
      return;
    }
    this.left -= units;
    this.schedule();
    work();
  }

  /** Does the work once everything that has arrived by now is read, or in a later turn; it says itself what it costs. */
  soon(whose: string, work: () => void): void {
    const queue = this.queues.get(whose);
    if (queue) queue.push(work);
    else this.queues.set(whose, [work]);
    this.schedule();
  }

  /** Resolves in a later turn of the event loop, in which nothing else waits for its end. */
  alone(whose: string): Promise<void> {
    return new Promise((resolve) =>
      this.soon(whose, () => {
        this.left = 0;
        resolve();
      }),
    );
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.run());
  }

  private run(): void {
    this.scheduled = false;
    for (let [turn] = this.queues; turn && this.left > 0; [turn] = this.queues) {
      const [whose, queue] = turn;
      const work = queue.shift();
      // The person's next work waits for the others' turn.
      this.queues.delete(whose);
      if (queue.length > 0) this.queues.set(whose, queue);
      work?.();
    }
    this.left = this.most;
    if (this.queues.size > 0) this.schedule();
  }
}
