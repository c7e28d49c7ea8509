import { useAtomValue } from 'jotai';
import { useEffect } from 'react';

import { onlyHereAtom } from './store.ts';

/** Whoever closes the page while something is nowhere but on it is asked first, on every screen. */
export function OnlyHere() {
  const held = useAtomValue(onlyHereAtom) > 0;
  useEffect(() => {
    if (!held) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [held]);
  return null;
}
