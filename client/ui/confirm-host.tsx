import { useAtomValue } from 'jotai';
import { lazy, Suspense, useState } from 'react';

import { questionAtom } from '../store.ts';

const load = () => import('./confirm.tsx');
const ConfirmDialog = lazy(load);

/** For a page that may have to ask when nothing can be loaded any more. */
export const bringConfirm = (): void => void load().catch(() => {});

/** Shows what `useConfirm` asks; the dialog is loaded with the first question. */
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
