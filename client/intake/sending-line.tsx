import { clockTime } from '../ui/times.ts';
import { failureMessage, isUploadLimit } from '../ui/failure-message.ts';
import { Button } from '../ui/button.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './dialog.module.css';
import type { Progress } from './upload.ts';

/** The progress of an upload: percent, speed and remaining time. */
export function SendingLine({ name, progress, onAgain }: { name: string; progress: Progress; onAgain: () => void }) {
  const { t, i18n } = useTranslation('intake');
  const { t: told } = useTranslation(['common', 'shell']);
  const { state, sent, total, bytesPerSecond, secondsLeft, error } = progress;
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' }).format(
    Math.floor((sent / total) * 100) / 100,
  );
  return (
    <div className={styles.sending}>
      {state === 'failed' ? (
        <p className={styles.error} role="alert">
          {isUploadLimit(error) ? failureMessage(error, told) : t('sending.failed', { name })}{' '}
          <Button onClick={onAgain}>{t('sending.again')}</Button>
        </p>
      ) : (
        <>
          <p className={styles.facts}>
            <span>{state === 'sent' ? t('sending.sent', { name }) : t('sending.going', { name, percent })}</span>
            {bytesPerSecond !== null && state === 'going' && (
              <span>{t('sending.speed', { speed: bytes(bytesPerSecond, i18n.language) })}</span>
            )}
            {secondsLeft !== null && state === 'going' && (
              <span>{t('sending.left', { time: clockTime(secondsLeft * 1000) })}</span>
            )}
          </p>
          <progress
            className={styles.bar}
            value={sent}
            max={total}
            aria-label={t('sending.going', { name, percent })}
          />
        </>
      )}
    </div>
  );
}

function bytes(count: number, language: string): string {
  const [unit, size] = count >= 1e6 ? (['megabyte', 1e6] as const) : (['kilobyte', 1e3] as const);
  return new Intl.NumberFormat(language, { style: 'unit', unit, maximumFractionDigits: 1 }).format(count / size);
}
