import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect } from 'react';

import { part } from '../../../errors/part.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { pastAtom } from './past.ts';
import styles from './past-place.module.css';

const PastText = part(() => import('./past-text.tsx'), { waiting: <Waiting>{null}</Waiting> });

/** Over the text as it is now, which stays below it with its caret and its undo. */
export function PastPlace() {
  const past = useAtomValue(pastAtom);
  const leave = useSetAtom(pastAtom);
  // Another recording begins with what it is now.
  useEffect(() => () => leave(null), [leave]);
  if (!past) return null;
  return (
    <div className={styles.place}>
      <PastText key={past.version} past={past} />
    </div>
  );
}
