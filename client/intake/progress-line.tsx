import { IconAlertCircle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { IntakeFailure, Progress } from '#shared/intake.ts';

import styles from './progress-line.module.css';

/** How far a recording is that is not ready yet, or why it never will be; nothing of one that is. */
export function ProgressLine({ progress }: { progress: Progress }) {
  const { t, i18n } = useTranslation('library');
  const { percentage, failures_present: failed, failure = 'unexpected' } = progress;
  if (failed) {
    return (
      <span className={styles.failed}>
        <IconAlertCircle size={16} stroke={1.5} aria-hidden="true" /> {t(`failure.${failure as IntakeFailure}`)}
      </span>
    );
  }
  if (percentage >= 100) return null;
  if (progress.ordered) return <span className={styles.going}>{t('ordered')}</span>;
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(percentage / 100);
  return (
    <span className={styles.going}>
      {t('preparing', { percent })}
      <progress value={percentage} max={100} aria-hidden="true" />
    </span>
  );
}

/** Something of these is still being prepared: worth asking again. */
export const isUnderWay = ({ percentage, failures_present }: Progress): boolean =>
  percentage < 100 && !failures_present;
