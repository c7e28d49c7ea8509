import { useMutation } from '@tanstack/react-query';

import { failureMessage } from '../ui/failure-message.ts';
import { useSession } from '../session.ts';
import { useNotify } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { AgainButton, useConfirmAgain } from './confirm-again.tsx';
import styles from './unconfirmed.module.css';

/** Sends the confirmation mail again. */
export function ConfirmAgain({ email, look = 'quiet' }: { email: string; look?: 'quiet' | 'primary' }) {
  const { t } = useTranslation('signIn');
  const { t: general } = useTranslation(['common', 'shell']);
  const send = useConfirmAgain();
  const notify = useNotify();
  const resend = useMutation({
    mutationFn: () => send(email),
    onSuccess: () => notify({ type: 'info', message: t('resend.sent', { email }) }),
    onError: (error) => notify({ message: failureMessage(error, general) }),
  });
  return (
    <AgainButton
      email={email}
      action={t('unconfirmed.action')}
      look={look}
      busy={resend.isPending}
      onClick={() => resend.mutate()}
    />
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
