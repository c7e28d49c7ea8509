import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { Link, Navigate, useSearchParams } from 'react-router-dom';

import type { IdentityError } from '#shared/accounts.ts';
import { safePath } from '#shared/redirects.ts';

import { useApi } from '../api.ts';
import { codeQuery, paths, withEmail } from '../paths.ts';
import { useRefreshSession, useSession } from '../session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { CheckField, EmailField, PasswordField } from '../ui/field.tsx';
import { Form, FormErrors } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { IdentityButton } from './identity-button.tsx';
import { useSignInOptions } from './options.ts';
import { SaidError, useSending } from '../ui/sending.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './sign-in.module.css';

// Not imported from shared/accounts.ts, so that the first page does not load the schemas.
const providerErrors = [
  'account-exists',
  'expired',
  'failed',
  'not-fresh',
  'other-person',
  'refused',
  'unavailable',
  'unverified',
] as const satisfies readonly IdentityError[];

/** The same page, which then asks for the access code. */
function withCode(path: string): string {
  const [before = '', hash] = path.split('#');
  return `${before}${before.includes('?') ? '&' : '?'}${codeQuery}=1${hash === undefined ? '' : `#${hash}`}`;
}

export default function Login() {
  const { t } = useTranslation('signIn');
  const api = useApi();
  const [query] = useSearchParams();
  const { data: session } = useSession();
  const refresh = useRefreshSession();
  const options = useSignInOptions();
  const [email, setEmail] = useState(query.get('email') ?? '');
  const [password, setPassword] = useState('');
  const [remember, setRemember] = useState(false);
  const next = safePath(query.get('redirectTo') ?? paths.home);

  const { send, busy, errors } = useSending(
    async (who: { email: string; password: string; remember?: boolean }) => {
      const answer = await parseResponse(
        api.login.$post({ json: { email: who.email, password: who.password, ...(who.remember && { remember: 'y' }) } }),
      );
      // An answer without a user is no sign-in, whatever its status.
      if (!(answer as { user?: unknown }).user) throw new SaidError(t('login.incorrectResponse'));
      await refresh();
    },
    () => undefined,
  );

  if (session?.principal.kind === 'user') return <Navigate to={next} replace />;

  const code = query.get('error');
  const fromProvider = code === null ? undefined : (providerErrors.find((one) => one === code) ?? 'failed');
  return (
    <>
      <PageTitle>{t('login.title')}</PageTitle>
      {query.has(codeQuery) && (
        <p>
          {t('login.needsCode')} <Link to={withCode(next)}>{t('login.enterCode')}</Link>
        </p>
      )}
      {fromProvider && errors.length === 0 && <FormErrors errors={[t(`provider.${fromProvider}`)]} />}
      <Form label={t('login.title')} errors={errors} onSubmit={() => send({ email, password, remember })}>
        <EmailField
          name="email"
          label={t('email')}
          value={email}
          onChange={setEmail}
          autoComplete="username"
          required
        />
        <PasswordField
          name="password"
          label={t('password')}
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          required
        />
        <div className={styles.row}>
          <CheckField name="remember" label={t('login.remember')} checked={remember} onChange={setRemember} />
          <Link to={withEmail(paths.forgot, email)}>{t('forgotLink')}</Link>
        </div>
        <Button type="submit" look="primary" wide busy={busy}>
          {t('login.action')}
        </Button>
      </Form>
      {options?.identity && <IdentityButton identity={options.identity} next={next} />}
      <p className={styles.links}>
        <Link to={`${paths.register}${next === paths.home ? '' : `?${new URLSearchParams({ redirectTo: next })}`}`}>
          {t('createLink')}
        </Link>
      </p>
      {options && options.demo.length > 0 && (
        <section className={styles.demo}>
          <h2>{t('demo.title')}</h2>
          <p>{t('demo.text')}</p>
          <ul className={styles.people}>
            {options.demo.map((person) => (
              <li key={person.email}>
                <button type="button" className={styles.person} disabled={busy} onClick={() => send(person)}>
                  <Avatar name={person.name} id={person.email} />
                  <span>
                    {person.name}
                    <small>{person.email}</small>
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      <p className={styles.small}>
        <Link to={paths.terms}>{t('termsLink')}</Link> · <Link to={paths.privacy}>{t('privacyLink')}</Link> ·{' '}
        <Link to={paths.help}>{t('helpLink')}</Link>
      </p>
    </>
  );
}
