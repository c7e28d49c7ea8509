import { ApiError } from '../api.ts';
import { Button } from '../ui/button.tsx';
import styles from './failure.module.css';
import { CopyButton } from '../ui/copy.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { useTranslation } from '../use-translation.ts';

interface FailureProps {
  error: unknown;
  /** Says what happened and what is safe; default: the message of the error. */
  children?: string;
  onRetry?: () => void;
  /** The request id of the report, where the error has none itself. */
  requestId?: string;
  /** Takes the place of a whole page: its text is the heading. */
  page?: boolean;
}

/** Shows a failure: what happened, what to do, and behind "Details" the request id for support. */
export function Failure({ error, children, onRetry, requestId, page = false }: FailureProps) {
  const { t } = useTranslation(['common', 'shell']);
  const id = error instanceof ApiError ? error.requestId : requestId;
  const Heading = page ? 'h1' : 'h2';
  const title = t('shell:error.title');
  const text = children ?? failureMessage(error, t);
  return (
    <section className={styles.failure} role="alert">
      <Heading className={styles.title}>{title}</Heading>
      {text !== title && <p className={styles.text}>{text}</p>}
      <div className={styles.actions}>
        {onRetry ? (
          <Button look="primary" onClick={onRetry}>
            {t('common:tryAgain')}
          </Button>
        ) : (
          <Button look="primary" onClick={() => window.location.reload()}>
            {t('common:reload')}
          </Button>
        )}
      </div>
      {id !== undefined && (
        <details className={styles.details}>
          <summary>{t('shell:error.details')}</summary>
          <div className={styles.request}>
            <p className={styles.id}>{t('shell:error.requestId', { id })}</p>
            <CopyButton value={id} label={t('shell:error.copyId')} />
          </div>
        </details>
      )}
    </section>
  );
}
