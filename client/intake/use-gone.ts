import { useEffect, useEffectEvent, useRef } from 'react';

/** Called when a screen is left for good; not where React only tries whether it could be. */
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
