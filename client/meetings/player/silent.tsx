import { IconVolumeOff } from '@tabler/icons-react';
import { useEffect, useEffectEvent } from 'react';

import type { Progress } from '#shared/intake.ts';

import { useNotify } from '../../store.ts';
import { useTranslation } from '../../use-translation.ts';
import { useMeeting } from '../open/meeting-context.ts';
import styles from './silent.module.css';

/** Reason why this recording cannot be played, in the place of the player, and again when playing is asked for. */
export function Silent() {
  const { t } = useTranslation('player');
  const { about, player } = useMeeting();
  const notify = useNotify();
  const why = t(`silent.${reasonOf(about.progress)}`);
  const asked = useEffectEvent(() => notify({ type: 'info', message: why }));
  useEffect(() => player.onSilent(() => asked()), [player]);
  return (
    <section className={styles.line} aria-label={t('label')}>
      <IconVolumeOff size={18} stroke={1.5} aria-hidden="true" />
      <p>{why}</p>
    </section>
  );
}

function reasonOf(progress: Progress | undefined): 'recording' | 'failed' | 'preparing' | 'none' {
  if (progress?.recording) return 'recording';
  if (progress?.failures_present) return 'failed';
  return progress && progress.percentage < 100 ? 'preparing' : 'none';
}
