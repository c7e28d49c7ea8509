import { useEffect, useEffectEvent, useRef } from 'react';

/** Calls `gone` when a component is unmounted for good, not in the trial of StrictMode. */
export function useGone(gone: () => void): void {
  const here = useRef(false);
  const tell = useEffectEvent(gone);
  useEffect(() => {
    here.current = true;
    return () => {
      here.current = false;
      queueMicrotask(() => {
        if (!here.current) tell();
      });
    };
  }, []);
}
