import { useSetAtom } from 'jotai';

import { askSupportAtom } from './asking.ts';

/** Opens the panel to support with what was typed there before. */
export function useAskSupport(): () => void {
  const ask = useSetAtom(askSupportAtom);
  return () => ask('');
}
