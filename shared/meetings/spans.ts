/** Values of characters by their ids: ranges of clocks for each client, never overlapping. */
export class Spans<T> {
  private readonly clients = new Map<number, Span<T>[]>();
  private readonly unsorted = new Set<number>();

  static of<T>(all: Iterable<Span<T> & { client: number }>): Spans<T> {
    const spans = new Spans<T>();
    for (const { client, from, to, value } of all) spans.add(client, from, to, value);
    return spans;
  }

  /** All ranges, as plain data. */
  get all(): (Span<T> & { client: number })[] {
    return [...this.clients].flatMap(([client, spans]) => spans.map((span) => ({ client, ...span })));
  }

  /** Adds a range, in any order; no character may be in two ranges. */
  add(client: number, from: number, to: number, value: T): void {
    let spans = this.clients.get(client);
    if (!spans) this.clients.set(client, (spans = []));
    const last = spans.at(-1);
    if (last && last.to === from && last.value === value) {
      last.to = to;
      return;
    }
    if (last && last.to > from) this.unsorted.add(client);
    spans.push({ from, to, value });
  }

  /** Value of a character, and the clock up to which it holds. */
  at(client: number, clock: number): { value: T | undefined; until: number } {
    const spans = this.sorted(client);
    let low = 0;
    let high = spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((spans[middle]?.to ?? 0) <= clock) low = middle + 1;
      else high = middle;
    }
    const span = spans[low];
    if (!span) return { value: undefined, until: Infinity };
    return clock < span.from ? { value: undefined, until: span.from } : { value: span.value, until: span.to };
  }

  private sorted(client: number): readonly Span<T>[] {
    const spans = this.clients.get(client) ?? [];
    if (this.unsorted.delete(client)) spans.sort((a, b) => a.from - b.from);
    return spans;
  }
}

export interface Span<T> {
  from: number;
  to: number;
  value: T;
}
