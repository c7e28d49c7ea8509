import { parseResponse } from 'hono/client';
import { useCallback, useState } from 'react';

import { longestEmail } from '#shared/email.ts';
import type { FieldError } from '#shared/problems.ts';

import { useApi } from '../api.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { EmailField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { useSending } from '../ui/sending.ts';
import { useTranslation } from '../use-translation.ts';

/** Asks a person by mail for a recording, which they assess first and the reader after them. */
export function AskDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('intake');
  const api = useApi();
  const notify = useNotify();
  const [email, setEmail] = useState('');
  const own = useCallback(({ code }: FieldError) => (code === 'student' ? t('ask.oneself') : undefined), [t]);
  const { send, busy, errors, errorOf } = useSending(
    () => parseResponse(api.invitations.$post({ json: { email } })),
    () => {
      notify({ type: 'info', message: t('ask.sent', { email: email.trim() }) });
      onClose();
    },
    own,
  );
  return (
    <Dialog opened onClose={onClose} title={t('ask.title')} keepOnBackdrop>
      <Form errors={errors} onSubmit={() => send(undefined)}>
        <p>{t('ask.text')}</p>
        <EmailField
          label={t('ask.email')}
          autoComplete="off"
          value={email}
          maxLength={longestEmail}
          error={errorOf('email')}
          onChange={setEmail}
          data-autofocus
        />
        <Actions>
          <Button onClick={onClose}>{t('back')}</Button>
          <Button type="submit" look="primary" busy={busy}>
            {t('ask.send')}
          </Button>
        </Actions>
      </Form>
    </Dialog>
  );
}
