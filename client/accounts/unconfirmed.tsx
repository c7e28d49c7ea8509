import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useApi } from '../api.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useSession } from '../session.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import styles from './unconfirmed.module.css';

/** Sends the confirmation mail again. */
export function ConfirmAgain({ email, look = 'quiet' }: { email: string; look?: 'quiet' | 'primary' }) {
  const { t } = useTranslation('signIn');
  const { t: general } = useTranslation(['common', 'shell']);
  const api = useApi();
  const notify = useNotify();
  const resend = useMutation({
    mutationFn: () => api.confirm.$post({ json: { email } }),
    onSuccess: () => notify({ type: 'info', message: t('resend.sent', { email }) }),
    onError: (error) => notify({ message: failureMessage(error, general) }),
  });
  return (
    <Button look={look} busy={resend.isPending} onClick={() => resend.mutate()}>
      {t('unconfirmed.action')}
    </Button>
  );
}

/** Shown above every page until the person's e-mail address is confirmed. */
export function Unconfirmed() {
  const { t } = useTranslation('signIn');
  const principal = useSession().data?.principal;
  if (principal?.kind !== 'user' || principal.confirmed || principal.email === null) return null;
  const { email } = principal;
  return (
    <section className={styles.banner} aria-label={t('unconfirmed.title')}>
      <p>
        <strong>{t('unconfirmed.title')}</strong> {t('unconfirmed.text', { email })}
      </p>
      <ConfirmAgain email={email} />
    </section>
  );
}
