import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect } from 'react';

import { part } from '../../../errors/part.tsx';
import { Waiting } from '../../../ui/waiting.tsx';
import { useMeeting } from '../../open/meeting-context.ts';
import { pastAtom } from './past.ts';
import styles from './past-place.module.css';

const PastText = part(() => import('./past-text.tsx'), { waiting: <Waiting>{null}</Waiting> });

/** Layer over the current transcript, which stays mounted below with its caret and undo history. */
export function PastPlace() {
  const past = useAtomValue(pastAtom);
  const leave = useSetAtom(pastAtom);
  // Another recording opens with its current transcript.
  useEffect(() => () => leave(null), [leave]);
  const { about } = useMeeting();
  const permitted = about.permissions.includes('history');
  useEffect(() => {
    if (!permitted) leave(null);
  }, [permitted, leave]);
  if (!past || !permitted) return null;
  return (
    <div className={styles.place}>
      <PastText key={past.version} past={past} />
    </div>
  );
}
