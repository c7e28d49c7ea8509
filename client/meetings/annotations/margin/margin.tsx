import { useAtomValue } from 'jotai';

import { part } from '../../../errors/part.tsx';
import { placesAtom } from '../base/open-annotations.ts';

const MarginCards = part(() => import('./margin-cards.tsx'), { waiting: null, inBackground: true });

/** Comments and outcomes beside their words, once they are loaded. */
export function Margin() {
  return useAtomValue(placesAtom) && <MarginCards />;
}
