import { useState, type ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router-dom';

import { paths, withEmail } from '../paths.ts';
import { useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { EmailField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { useSending } from '../ui/sending.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './sign-in.module.css';

interface AskMailProps {
  title: string;
  lead: string;
  action: string;
  note?: ReactNode;
  /** The text after sending; the same for every address, so that it reveals no accounts. */
  sent: (email: string) => string;
  call: (email: string) => Promise<unknown>;
  /** The address that the field begins with where none is known. */
  last?: string | null;
  /** The button that sends, where the mail can be sent again after a while. */
  again?: (button: {
    email: string;
    action: string;
    busy: boolean;
    type: 'submit';
    wide?: boolean;
    look?: 'primary';
  }) => ReactNode;
}

/** A screen that asks for an e-mail address and sends a mail to it. */
export function AskMail({ title, lead, action, note, sent, call, last = null, again }: AskMailProps) {
  const { t } = useTranslation('signIn');
  const [query] = useSearchParams();
  const known = useSession().data?.principal.email ?? last ?? '';
  const [typed, setEmail] = useState(query.get('email'));
  const email = typed ?? known;
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { send, busy, errors, errorOf } = useSending(call, (_answer, address) => setSentTo(address.trim()));

  if (sentTo !== null) {
    return (
      <div className={styles.done}>
        <div className={styles.done} role="status">
          <PageTitle>{title}</PageTitle>
          <p>{sent(sentTo)}</p>
        </div>
        {again && (
          <Form label={title} errors={errors} onSubmit={() => send(sentTo)}>
            {again({ email: sentTo, action: t('unconfirmed.action'), busy, type: 'submit' })}
          </Form>
        )}
        <p className={styles.links}>
          <Link to={withEmail(paths.login, sentTo)}>{t('loginLink')}</Link>
        </p>
      </div>
    );
  }
  return (
    <>
      <PageTitle lead={lead}>{title}</PageTitle>
      {note}
      <Form label={title} errors={errors} onSubmit={() => send(email)}>
        <EmailField
          name="email"
          label={t('email')}
          value={email}
          onChange={setEmail}
          error={errorOf('email')}
          required
        />
        {again ? (
          again({ email, action, busy, type: 'submit', wide: true, look: 'primary' })
        ) : (
          <Button type="submit" look="primary" wide busy={busy}>
            {action}
          </Button>
        )}
      </Form>
      <p className={styles.links}>
        <Link to={withEmail(paths.login, email)}>{t('loginLink')}</Link>
        <Link to={withEmail(paths.register, email)}>{t('createLink')}</Link>
      </p>
    </>
  );
}
