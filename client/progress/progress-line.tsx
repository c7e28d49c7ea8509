import { IconAlertCircle } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

import type { IntakeFailure, Progress } from '#shared/intake.ts';

import { CalmStatus } from '../ui/calm-status.tsx';
import { clockTime } from '../ui/times.ts';
import { useTranslation } from '../use-translation.ts';

import styles from './progress-line.module.css';

/** Milliseconds that a finished progress bar stays. */
const endShown = 2000;

/** True for a moment after a visible recording became ready. */
export function useEnding(progress: Progress | undefined): boolean {
  const going = progress !== undefined && isUnderWay(progress);
  const [before, setBefore] = useState(going);
  const [ending, setEnding] = useState(false);
  if (going !== before) {
    setBefore(going);
    setEnding(!going && progress !== undefined && !progress.failures_present);
  }
  useEffect(() => {
    if (!ending) return;
    const timer = setTimeout(() => setEnding(false), endShown);
    return () => clearTimeout(timer);
  }, [ending]);
  return ending;
}

/** Explains why a recording failed. */
export function useFailureText(): (progress: Progress) => string {
  const { t } = useTranslation('library');
  return ({ failure = 'unexpected', agreed = 0, measured = 0 }) =>
    t(`failure.${failure as IntakeFailure}`, {
      agreed: clockTime(agreed * 1000),
      measured: clockTime(measured * 1000),
    });
}

/** Progress or failure of a recording; empty once it is ready. */
export function ProgressLine({ progress }: { progress: Progress }) {
  const { t, i18n } = useTranslation('library');
  const ending = useEnding(progress);
  const failureText = useFailureText();
  const { percentage, failures_present: failed } = progress;
  if (failed) {
    return (
      <span className={styles.failed}>
        <IconAlertCircle size={16} stroke={1.5} aria-hidden="true" /> {failureText(progress)}
      </span>
    );
  }
  if (percentage >= 100) {
    if (!ending) return null;
    return (
      <span className={styles.going}>
        {t('transcribing')}
        <progress value={100} max={100} aria-hidden="true" />
      </span>
    );
  }
  if (progress.recording) return <span className={styles.going}>{t('recordingNow')}</span>;
  if (progress.ordered) return <span className={styles.going}>{t('ordered')}</span>;
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(percentage / 100);
  return (
    <span className={styles.going}>
      {t('preparing', { percent })}
      <progress value={percentage} max={100} aria-hidden="true" />
    </span>
  );
}

/** Steps in which progress is announced: a number each second would talk over everything else. */
const announced = 25;

/** Tells screen readers of a recording's progress, in a few steps, and of its failure. */
export function ProgressStatus({ progress }: { progress: Progress }) {
  const { t, i18n } = useTranslation('library');
  const failureText = useFailureText();
  const step = Math.floor(progress.percentage / announced) * announced;
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(step / 100);
  const text = progress.failures_present
    ? failureText(progress)
    : progress.recording
      ? t('recordingNow')
      : progress.ordered
        ? t('ordered')
        : t('preparing', { percent });
  return <CalmStatus text={progress.percentage >= 100 && !progress.failures_present ? '' : text} />;
}

/** Still being processed, so worth polling. */
export const isUnderWay = ({ percentage, failures_present }: Progress): boolean =>
  percentage < 100 && !failures_present;
