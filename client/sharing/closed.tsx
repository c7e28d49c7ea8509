import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';

import { ConfirmAgain } from '../accounts/unconfirmed.tsx';
import { ApiError, useApi } from '../api.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { loginPath } from '../paths.ts';
import { useSession } from '../session.ts';
import { useTexts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './sharing.module.css';

/** Asks the owner for access, whether the recording exists or not; `children` is the way back. */
export function RequestAccess({ id, children }: { id: string; children: ReactNode }) {
  const ready = useTexts('sharing');
  const { t } = useTranslation('sharing');
  const api = useApi();
  const principal = useSession().data?.principal;
  const ask = useMutation({
    mutationFn: async () =>
      (await api.meetings[':id'].requestAccess.$post({ param: { id }, json: { role: 'canRead' } })).json(),
  });
  if (!ready) return children;
  // An unconfirmed address may be somebody else's: no mail is sent in its name.
  if (principal?.kind === 'user' && !principal.confirmed)
    return (
      <div className={styles.asking}>
        <p>{t('closed.unconfirmed')}</p>
        <p className={styles.hint}>{t('closed.unconfirmedText', { email: principal.email ?? '' })}</p>
        {principal.email !== null && <ConfirmAgain email={principal.email} look="primary" />}
        {children}
      </div>
    );
  if (ask.isSuccess)
    return (
      <div className={styles.asking}>
        <div role="status">
          <p>{ask.data.before ? t('closed.askedBefore') : t('closed.asked')}</p>
          <p className={styles.hint}>{ask.data.before ? t('closed.askedBeforeText') : t('closed.askedText')}</p>
        </div>
        {children}
      </div>
    );
  return (
    <div className={styles.asking}>
      <Button look="primary" busy={ask.isPending} onClick={() => ask.mutate()}>
        {t('closed.ask')}
      </Button>
      <p className={styles.hint}>{t('closed.hint')}</p>
      {children}
    </div>
  );
}

/** Asks for the access code of a link. */
export function AskCode({ id, signedIn, onOpen }: { id: string; signedIn: boolean; onOpen: () => Promise<unknown> }) {
  const ready = useTexts('sharing');
  const { t } = useTranslation('sharing');
  const { t: said } = useTranslation(['common', 'shell']);
  const api = useApi();
  const [code, setCode] = useState('');
  const [missing, setMissing] = useState(false);
  const give = useMutation({
    mutationFn: () => api.meetings[':id'].unlock.$post({ param: { id }, json: { code } }),
    meta: { quiet: true },
    onSuccess: onOpen,
  });
  if (!ready) return null;
  const wrong = give.error instanceof ApiError && give.error.code === 'IC';
  const failed = give.error && !wrong ? failureMessage(give.error, said) : null;
  const error = missing ? t('locked.missing') : wrong ? t('locked.wrong') : null;
  return (
    <div className={styles.locked}>
      <PageTitle lead={t('locked.text')}>{t('locked.title')}</PageTitle>
      <Form
        errors={failed === null ? [] : [failed]}
        onSubmit={() => {
          setMissing(code.trim() === '');
          if (code.trim() !== '' && !give.isPending) give.mutate();
        }}
      >
        <TextField
          label={t('locked.code')}
          value={code}
          error={error}
          onChange={(value) => {
            setCode(value);
            setMissing(false);
            give.reset();
          }}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={80}
          dir="ltr"
        />
        <Actions>
          {!signedIn && (
            <ButtonLink to={loginPath(`/meeting/${id}`)} look="quiet">
              {t('locked.logIn')}
            </ButtonLink>
          )}
          <Button type="submit" look="primary" busy={give.isPending}>
            {t('locked.open')}
          </Button>
        </Actions>
      </Form>
    </div>
  );
}
