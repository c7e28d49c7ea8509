import { useEffect, useEffectEvent, useState } from 'react';
import { useNavigate } from 'react-router-dom';

import { useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useRefreshSession } from '../session.ts';
import { useNotify } from '../store.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { PasswordField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { useTranslation } from '../use-translation.ts';
import { useMailedLink } from './mailed.ts';
import styles from './sign-in.module.css';

const toLoginAfter = 5000;

/** The second step of a change of address: asks for the password. */
export default function ConfirmEmailChange() {
  const { t } = useTranslation('signIn');
  const api = useApi();
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefreshSession();
  const [password, setPassword] = useState('');
  const { state, send, busy, errors, errorOf } = useMailedLink(
    paths.confirmEmailChange,
    (token) => api.principals.me['change-email'].step2.$post({ json: { token, password } }),
    () => {
      setPassword('');
      notify({ type: 'info', message: t('emailChange.done') });
    },
  );

  const toLogin = () => void refresh().then(() => navigate(paths.login, { replace: true }));
  const onTime = useEffectEvent(toLogin);
  useEffect(() => {
    if (state !== 'done') return undefined;
    const timer = setTimeout(() => onTime(), toLoginAfter);
    return () => clearTimeout(timer);
  }, [state]);

  if (state === 'dead') {
    return (
      <div className={styles.done}>
        <PageTitle lead={t('dead.text')}>{t('dead.title')}</PageTitle>
        <ButtonLink to={paths.profile} wide>
          {t('profileLink')}
        </ButtonLink>
      </div>
    );
  }
  return (
    <>
      <PageTitle lead={state === 'done' ? t('emailChange.toLogin') : t('emailChange.lead')}>
        {state === 'done' ? t('emailChange.done') : t('emailChange.title')}
      </PageTitle>
      {state === 'done' && (
        <Button look="primary" wide onClick={toLogin}>
          {t('loginLink')}
        </Button>
      )}
      {state === 'asking' && (
        <Form label={t('emailChange.title')} errors={errors} onSubmit={() => send()}>
          <PasswordField
            name="password"
            label={t('password')}
            value={password}
            onChange={setPassword}
            error={errorOf('password')}
            autoComplete="current-password"
            required
          />
          <Button type="submit" look="primary" wide busy={busy}>
            {t('emailChange.action')}
          </Button>
        </Form>
      )}
    </>
  );
}
