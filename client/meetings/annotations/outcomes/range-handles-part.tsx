import { useAtomValue } from 'jotai';

import { part } from '../../../errors/part.tsx';
import { chosenAtom } from '../base/open-annotations.ts';

const RangeHandles = part(() => import('./range-handles.tsx'), { waiting: null, inBackground: true });

/** Handles of the chosen outcome's range on the text. */
export function RangeOfOutcome() {
  return useAtomValue(chosenAtom)?.kind === 'outcome' && <RangeHandles />;
}
