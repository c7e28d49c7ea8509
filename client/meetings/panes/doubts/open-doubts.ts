import { atom, useAtomValue } from 'jotai';
import { useSyncExternalStore } from 'react';

import type { Doubts, DoubtsState } from './doubts.ts';

/** Words to check of the open recording. */
export const doubtsAtom = atom<Doubts | null>(null);

const nothing = () => () => undefined;
const none = (): null => null;

export function useDoubtsState(): DoubtsState | null {
  const doubts = useAtomValue(doubtsAtom);
  return useSyncExternalStore<DoubtsState | null>(doubts?.subscribe ?? nothing, doubts?.now ?? none);
}
