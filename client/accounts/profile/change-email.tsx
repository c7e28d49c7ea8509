import { useState } from 'react';

import { isEmail } from '#shared/email.ts';

import { useApi } from '../../api.ts';
import { useNotify } from '../../store.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { EmailField } from '../../ui/field.tsx';
import { Actions, Form } from '../../ui/form.tsx';
import { useSending } from '../../ui/sending.ts';
import { useTranslation } from '../../use-translation.ts';
import styles from './profile.module.css';

interface ChangeEmailProps {
  email: string;
  opened: boolean;
  onClose: () => void;
}

/** The first step of a change of address: sends a link to the new one; nothing changes until it is opened. */
export function ChangeEmail({ email, opened, onClose }: ChangeEmailProps) {
  const { t } = useTranslation('profile');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('email.title')} size="sm" keepOnBackdrop>
      <Body email={email} onClose={onClose} />
    </Dialog>
  );
}

function Body({ email, onClose }: Pick<ChangeEmailProps, 'email' | 'onClose'>) {
  const { t } = useTranslation(['common', 'profile']);
  const api = useApi();
  const notify = useNotify();
  const [newEmail, setNewEmail] = useState('');
  const { send, busy, errors, errorOf } = useSending(
    () => api.principals.me['change-email'].step1.$post({ json: { newEmail } }),
    () => {
      onClose();
      notify({ type: 'info', message: t('profile:email.sent') });
    },
  );
  const ready = isEmail(newEmail);
  return (
    <Form label={t('profile:email.title')} errors={errors} onSubmit={() => ready && !busy && send(undefined)}>
      <p className={styles.muted}>{t('profile:email.lead', { email })}</p>
      <EmailField
        name="newEmail"
        label={t('profile:email.field')}
        value={newEmail}
        onChange={setNewEmail}
        error={errorOf('newEmail')}
        autoComplete="off"
        required
        data-autofocus
      />
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" disabled={!ready} busy={busy}>
          {t('profile:email.action')}
        </Button>
      </Actions>
    </Form>
  );
}
