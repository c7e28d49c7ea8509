import { useState } from 'react';
import { Link } from 'react-router-dom';

import { useApi } from '../api.ts';
import { paths } from '../paths.ts';
import { useRefreshSession } from '../session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { PasswordField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { useTranslation } from '../use-translation.ts';
import { useMailedLink } from './mailed.ts';
import styles from './sign-in.module.css';

export default function Reset() {
  const { t } = useTranslation('signIn');
  const api = useApi();
  const refresh = useRefreshSession();
  const [password, setPassword] = useState('');
  const [passwordConfirm, setPasswordConfirm] = useState('');
  const { state, send, busy, errors, errorOf } = useMailedLink(
    '/reset/-',
    (token) => api.reset[':token'].$post({ param: { token }, json: { password, passwordConfirm } }),
    refresh,
  );

  if (state === 'done') {
    return (
      <div className={styles.done} role="status">
        <PageTitle lead={t('reset.doneText')}>{t('reset.done')}</PageTitle>
        <ButtonLink to={paths.login} look="primary" wide>
          {t('loginLink')}
        </ButtonLink>
      </div>
    );
  }
  if (state === 'dead') {
    return (
      <div className={styles.done}>
        <PageTitle lead={t('dead.text')}>{t('dead.title')}</PageTitle>
        <ButtonLink to={paths.forgot} look="primary" wide>
          {t('dead.newReset')}
        </ButtonLink>
      </div>
    );
  }
  return (
    <>
      <PageTitle>{t('reset.title')}</PageTitle>
      <Form label={t('reset.title')} errors={errors} onSubmit={() => send()}>
        <PasswordField
          name="password"
          label={t('reset.password')}
          hint={t('passwordHint')}
          value={password}
          onChange={setPassword}
          error={errorOf('password')}
          autoComplete="new-password"
          required
        />
        <PasswordField
          name="passwordConfirm"
          label={t('passwordAgain')}
          value={passwordConfirm}
          onChange={setPasswordConfirm}
          error={errorOf('passwordConfirm')}
          autoComplete="new-password"
          required
        />
        <Button type="submit" look="primary" wide busy={busy}>
          {t('reset.action')}
        </Button>
      </Form>
      <p className={styles.links}>
        <Link to={paths.login}>{t('loginLink')}</Link>
      </p>
    </>
  );
}
