import { useAtomValue, useSetAtom } from 'jotai';
import { lazy, Suspense, useEffect } from 'react';

import { loadChunk } from '../../load.ts';
import { Waiting } from '../../ui/waiting.tsx';
import { pastAtom } from './past.ts';
import styles from './past-place.module.css';

const PastText = lazy(() => loadChunk(() => import('./past-text.tsx')));

/** Over the text as it is now, which stays below it with its caret and its undo. */
export function PastPlace() {
  const past = useAtomValue(pastAtom);
  const leave = useSetAtom(pastAtom);
  // Another recording begins with what it is now.
  useEffect(() => () => leave(null), [leave]);
  if (!past) return null;
  return (
    <div className={styles.place}>
      <Suspense fallback={<Waiting>{null}</Waiting>}>
        <PastText key={past.version} past={past} />
      </Suspense>
    </div>
  );
}
