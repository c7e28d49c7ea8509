import { atom, useAtomValue, useSetAtom } from 'jotai';
import { useEffect } from 'react';

import type { GuidePage } from '#shared/guide.ts';

import { guidePath, paths } from '../paths.ts';

/** Page of the guide about what is open; null where none is. */
const helpPageAtom = atom<GuidePage | null>(null);

/** Names the page of the guide about a screen, which help leads to while the screen is shown. */
export function useHelpPage(page: GuidePage | null): void {
  const set = useSetAtom(helpPageAtom);
  useEffect(() => {
    set(page);
    return () => set(null);
  }, [set, page]);
}

/** Path of the help about what is open. */
export function useHelpPath(): string {
  const page = useAtomValue(helpPageAtom);
  return page === null ? paths.help : guidePath(page);
}
