import { useMemo, useSyncExternalStore } from 'react';

import { Pause } from './pause.ts';
import type { Shared } from './use-shared.ts';

/** Soon enough to be believed, and not while somebody types. */
const restAfterChange = 700;

const idle: (work: () => void) => void =
  typeof requestIdleCallback === 'function'
    ? (work) => void requestIdleCallback(work, { timeout: 2000 })
    : (work) => void setTimeout(work, 0);

/** What takes a while to make: begun when somebody looks, made anew when changes pause, and off the way of keys. */
class Later<T> {
  private readonly shared: readonly Shared[];
  private readonly read: () => T;
  private readonly listeners = new Set<() => void>();
  private readonly pause = new Pause(() => idle(this.work), restAfterChange);
  private made: T | null = null;
  private stale = true;

  constructor(shared: readonly Shared[], read: () => T) {
    this.shared = shared;
    this.read = read;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    if (this.listeners.size === 0) {
      for (const one of this.shared) one.observeDeep(this.heard);
      idle(this.work);
    }
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      for (const one of this.shared) one.unobserveDeep(this.heard);
      this.pause.drop();
      // What happens while nobody looks is not heard.
      this.stale = true;
    };
  };

  readonly get = (): T | null => this.made;

  private readonly heard = (): void => {
    this.stale = true;
    this.pause.heard();
  };

  private readonly work = (): void => {
    if (this.listeners.size === 0 || !this.stale) return;
    this.stale = false;
    this.made = this.read();
    for (const listener of this.listeners) listener();
  };
}

/** Null until it is made for the first time. Both arguments have to stay the same from one drawing to the next. */
export function useLater<T>(shared: readonly Shared[], read: () => T): T | null {
  const later = useMemo(() => new Later(shared, read), [shared, read]);
  return useSyncExternalStore(later.subscribe, later.get);
}
