import { useCallback, useSyncExternalStore } from 'react';

const tick = 250;

const subscribe = (callback: () => void): (() => void) => {
  const timer = setInterval(callback, tick);
  return () => clearInterval(timer);
};

/** Whole seconds until this time (of `Date.now`), counted down; 0 once it has passed. */
export function useSecondsUntil(until: number): number {
  const read = useCallback(() => Math.max(0, Math.ceil((until - Date.now()) / 1000)), [until]);
  return useSyncExternalStore(subscribe, read);
}
