/** Callbacks that are called with each value, in the order in which they subscribed. */
export class Signal<T = void> {
  private readonly callbacks = new Set<(value: T) => void>();

  /** Returns what unsubscribes. Bound, so that React's `useSyncExternalStore` takes it as it is. */
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

  /** Unsubscribes everybody. */
  clear(): void {
    this.callbacks.clear();
  }
}
