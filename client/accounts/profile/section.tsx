import { useId, type ReactNode } from 'react';

import { failureMessage } from '../../ui/failure-message.ts';
import { Button } from '../../ui/button.tsx';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import { useTranslation } from '../../use-translation.ts';
import styles from './profile.module.css';

interface SectionProps {
  title: string;
  lead?: ReactNode;
  children: ReactNode;
}

export function Section({ title, lead, children }: SectionProps) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead !== undefined && <p className={styles.lead}>{lead}</p>}
      {children}
    </section>
  );
}

/** Loading and failure of one section; the rest of the page works without it. */
export function Pending({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const { t } = useTranslation(['common', 'shell']);
  if (!error) {
    return (
      <Waiting>
        <Bone height="3.5rem" />
      </Waiting>
    );
  }
  return (
    <p className={styles.failed} role="alert">
      {failureMessage(error, t)}
      <Button look="quiet" onClick={onRetry}>
        {t('common:tryAgain')}
      </Button>
    </p>
  );
}
