interface Task {
  at: number;
  order: number;
  work: (() => void) | null;
}

/** Fake time, which passes only from task to task; all promises settle before the next task. */
export class Time {
  now = Date.UTC(2030, 0, 1);
  private order = 0;
  /** A binary heap: the earliest task first, of two at one time the older. */
  private readonly heap: Task[] = [];

  later(ms: number, work: () => void): { cancel(): void } {
    const task: Task = { at: this.now + Math.max(0, ms), order: (this.order += 1), work };
    this.push(task);
    return {
      cancel: () => {
        task.work = null;
      },
    };
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.later(ms, resolve));
  }

  /** Lets this much time pass; `until` ends it early. */
  async pass(ms: number, until: () => boolean = () => false): Promise<void> {
    const end = this.now + ms;
    for (let task = this.heap[0]; task && task.at <= end && !until(); task = this.heap[0]) {
      this.pop();
      if (!task.work) continue;
      this.now = task.at;
      task.work();
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    if (!until()) this.now = end;
  }

  private push(task: Task): void {
    const { heap } = this;
    let at = heap.push(task) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!this.earlier(at, above)) break;
      this.swap(at, above);
      at = above;
    }
  }

  private pop(): void {
    const { heap } = this;
    this.swap(0, heap.length - 1);
    heap.pop();
    for (let at = 0; ;) {
      const left = 2 * at + 1;
      if (left >= heap.length) return;
      const least = left + 1 < heap.length && this.earlier(left + 1, left) ? left + 1 : left;
      if (!this.earlier(least, at)) return;
      this.swap(least, at);
      at = least;
    }
  }

  private earlier(a: number, b: number): boolean {
    const [one, other] = [this.heap[a], this.heap[b]];
    if (!one || !other) return false;
    return one.at < other.at || (one.at === other.at && one.order < other.order);
  }

  private swap(a: number, b: number): void {
    const [one, other] = [this.heap[a], this.heap[b]];
    if (!one || !other) return;
    this.heap[a] = other;
    this.heap[b] = one;
  }
}
