import { useMemo, useSyncExternalStore } from 'react';

/** Any shared type of a document, of whatever content. */
export interface Shared {
  observeDeep(heard: () => void): void;
  unobserveDeep(heard: () => void): void;
}

/** What is made of a shared type, kept until something in it changes. */
class Reading<T> {
  private readonly shared: Shared;
  private made: { value: T } | null = null;

  constructor(shared: Shared) {
    this.shared = shared;
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    const heard = () => {
      this.made = null;
      changed();
    };
    this.shared.observeDeep(heard);
    return () => this.shared.unobserveDeep(heard);
  };

  get(read: () => T): T {
    this.made ??= { value: read() };
    return this.made.value;
  }
}

/** What a screen makes of a shared type, made anew only when something in it changed. */
export function useShared<T>(shared: Shared, read: () => T): T {
  const reading = useMemo(() => new Reading<T>(shared), [shared]);
  return useSyncExternalStore(reading.subscribe, () => reading.get(read));
}
