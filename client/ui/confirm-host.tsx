import { useAtomValue } from 'jotai';
import { lazy, Suspense, useState } from 'react';

import { questionAtom } from '../store.ts';

const load = () => import('./confirm.tsx');
const ConfirmDialog = lazy(load);

/** Preloads the dialog for pages that may have to ask while offline. */
export const bringConfirm = (): void => void load().catch(() => {});

/** Shows the questions of `useConfirm`; loads the dialog with the first one. */
export function ConfirmHost() {
  const asked = useAtomValue(questionAtom) !== null;
  const [needed, setNeeded] = useState(false);
  if (asked && !needed) setNeeded(true);
  return needed ? (
    <Suspense>
      <ConfirmDialog />
    </Suspense>
  ) : null;
}
