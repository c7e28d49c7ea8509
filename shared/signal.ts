/** Callbacks, called with each value in the order in which they subscribed. */
export class Signal<T = void> {
  private readonly callbacks = new Set<(value: T) => void>();

  /** Returns a function that unsubscribes. Bound, so that React's `useSyncExternalStore` accepts it directly. */
  readonly subscribe = (callback: (value: T) => void): (() => void) => {
    this.callbacks.add(callback);
    return () => void this.callbacks.delete(callback);
  };

  emit(value: T): void {
    for (const callback of this.callbacks) callback(value);
  }

  get hasSubscribers(): boolean {
    return this.callbacks.size > 0;
  }

  /** Removes all subscribers. */
  clear(): void {
    this.callbacks.clear();
  }
}
