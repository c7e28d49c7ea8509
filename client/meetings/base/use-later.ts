import { useMemo, useSyncExternalStore } from 'react';

import { Signal } from '#shared/signal.ts';

import { Pause } from './pause.ts';
import type { Shared } from './use-shared.ts';

/** Milliseconds after the last change: soon, but not while typing. */
const restAfterChange = 700;

const idle: (work: () => void) => void =
  typeof requestIdleCallback === 'function'
    ? (work) => void requestIdleCallback(work, { timeout: 2000 })
    : (work) => void setTimeout(work, 0);

/** Slow computation: starts with the first subscriber and runs again in idle time when changes pause. */
class Later<T> {
  private readonly shared: readonly Shared[];
  private readonly read: () => T;
  private readonly signal = new Signal();
  private readonly pause = new Pause(() => idle(this.work), restAfterChange);
  private made: T | null = null;
  private stale = true;

  constructor(shared: readonly Shared[], read: () => T) {
    this.shared = shared;
    this.read = read;
  }

  readonly subscribe = (callback: () => void): (() => void) => {
    if (!this.signal.hasSubscribers) {
      for (const one of this.shared) one.observeDeep(this.changed);
      idle(this.work);
    }
    const unsubscribe = this.signal.subscribe(callback);
    return () => {
      unsubscribe();
      if (this.signal.hasSubscribers) return;
      for (const one of this.shared) one.unobserveDeep(this.changed);
      this.pause.drop();
      // Changes are not observed without subscribers.
      this.stale = true;
    };
  };

  readonly get = (): T | null => this.made;

  private readonly changed = (): void => {
    this.stale = true;
    this.pause.ask();
  };

  private readonly work = (): void => {
    if (!this.signal.hasSubscribers || !this.stale) return;
    this.stale = false;
    this.made = this.read();
    this.signal.emit();
  };
}

/** Null until first computed. Both arguments must keep their identity between renders. */
export function useLater<T>(shared: readonly Shared[], read: () => T): T | null {
  const later = useMemo(() => new Later(shared, read), [shared, read]);
  return useSyncExternalStore(later.subscribe, later.get);
}
