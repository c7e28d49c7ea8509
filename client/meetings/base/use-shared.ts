import { useMemo, useSyncExternalStore } from 'react';

/** Any shared type of a document. */
export interface Shared {
  observeDeep(changed: () => void): void;
  unobserveDeep(changed: () => void): void;
}

/** Value computed from a shared type, cached until the type changes. */
class Reading<T> {
  private readonly shared: Shared;
  private made: { value: T } | null = null;

  constructor(shared: Shared) {
    this.shared = shared;
  }

  readonly subscribe = (callback: () => void): (() => void) => {
    const changed = () => {
      this.made = null;
      callback();
    };
    this.shared.observeDeep(changed);
    return () => this.shared.unobserveDeep(changed);
  };

  get(read: () => T): T {
    this.made ??= { value: read() };
    return this.made.value;
  }
}

/** Value computed from a shared type, computed again only after a change. */
export function useShared<T>(shared: Shared, read: () => T): T {
  const reading = useMemo(() => new Reading<T>(shared), [shared]);
  return useSyncExternalStore(reading.subscribe, () => reading.get(read));
}
