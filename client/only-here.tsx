import { useAtomValue } from 'jotai';
import { useEffect } from 'react';

import { onlyHereAtom } from './store.ts';

/** Asks before the page is closed while changes exist only on it, on every screen. */
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
