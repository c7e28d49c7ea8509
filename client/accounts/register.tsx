import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { Link, useLocation, useNavigate, useSearchParams, type LinkProps } from 'react-router-dom';

import { fallbackLanguage, isLanguage } from '#shared/i18n/languages.ts';
import type { FieldError } from '#shared/problems.ts';
import { safePath } from '#shared/redirects.ts';

import { useApi } from '../api.ts';
import { solveBotCheck } from '../bot-check.ts';
import { paths, withEmail } from '../paths.ts';
import { useRefreshSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { CheckField, EmailField, PasswordField, TextField } from '../ui/field.tsx';
import { Form } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { IdentityButton } from './identity-button.tsx';
import { useSignInOptions } from './options.ts';
import { useSending } from '../ui/sending.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './sign-in.module.css';

/** Milliseconds that the welcome is shown before the redirect. */
const redirectAfter = 300;

/** Characters of a password (the limit of `shared/accounts.ts`, whose schemas are not loaded here). */
const shortest = 8;

type Done = 'signed-in' | 'check-mail';

export default function Register() {
  const { t, i18n } = useTranslation('signIn');
  const api = useApi();
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const refresh = useRefreshSession();
  const options = useSignInOptions();
  const [invitation] = useState(query.get('invitationId'));
  const [referral] = useState(query.get('ref') ?? undefined);
  const [fields, setFields] = useState({
    email: query.get('email') ?? '',
    password: '',
    passwordConfirm: '',
    firstName: '',
    lastName: '',
  });
  const [terms, setTerms] = useState(false);
  const [done, setDone] = useState<Done | null>(null);
  const invitedBy = useInvitedBy();
  const next = safePath(query.get('redirectTo') ?? paths.home);
  const toInvitation = (id: string) =>
    `${paths.invitation.replace(':id', id)}?${new URLSearchParams({ redirectTo: next })}`;
  const change = (name: keyof typeof fields) => (value: string) => setFields((all) => ({ ...all, [name]: value }));

  const { send, busy, errors, errorOf, refuse } = useSending(
    async () => {
      const botToken = options?.botCheck ? await solveBotCheck(api, 'register') : undefined;
      const json = {
        ...fields,
        terms: true,
        language: isLanguage(i18n.language) ? i18n.language : fallbackLanguage,
        ...(botToken !== undefined && { botToken }),
        ...(referral !== undefined && { referral }),
      };
      const answer = await parseResponse(
        invitation === null
          ? api.register.$post({ json })
          : api.invitations[':id'].register.$post({ param: { id: invitation }, json }),
      );
      if (invitation !== null && !answer.confirmationNeeded) {
        setDone('signed-in');
        await Promise.all([refresh(), new Promise((resolve) => setTimeout(resolve, redirectAfter))]);
        await navigate(toInvitation(invitation), { replace: true });
        return;
      }
      setDone('check-mail');
      await refresh();
    },
    () => undefined,
  );

  if (done !== null) return <Registered as={done} email={fields.email.trim()} />;
  return (
    <>
      <PageTitle lead={invitedBy}>{t('register.title')}</PageTitle>
      <Form
        label={t('register.title')}
        errors={errors}
        onSubmit={() => (terms ? send(undefined) : refuse([...missing(fields), { field: 'terms', code: 'terms' }]))}
      >
        <EmailField
          name="email"
          label={t('email')}
          value={fields.email}
          onChange={change('email')}
          error={errorOf('email')}
          required
        />
        <PasswordField
          name="password"
          label={t('password')}
          hint={t('passwordHint')}
          value={fields.password}
          onChange={change('password')}
          error={errorOf('password')}
          autoComplete="new-password"
          required
        />
        <PasswordField
          name="passwordConfirm"
          label={t('passwordAgain')}
          value={fields.passwordConfirm}
          onChange={change('passwordConfirm')}
          error={errorOf('passwordConfirm')}
          autoComplete="new-password"
          required
        />
        <TextField
          name="firstName"
          label={t('firstName')}
          value={fields.firstName}
          onChange={change('firstName')}
          error={errorOf('firstName')}
          autoComplete="given-name"
          required
        />
        <TextField
          name="lastName"
          label={t('lastName')}
          value={fields.lastName}
          onChange={change('lastName')}
          error={errorOf('lastName')}
          autoComplete="family-name"
          required
        />
        <CheckField
          name="terms"
          checked={terms}
          onChange={setTerms}
          error={errorOf('terms')}
          label={
            <Linked
              text={t('register.agree')}
              links={{
                terms: { to: paths.terms, target: '_blank' },
                privacy: { to: paths.privacy, target: '_blank' },
              }}
            />
          }
        />
        <Button type="submit" look="primary" wide busy={busy}>
          {t('register.action')}
        </Button>
      </Form>
      {options?.identity && (
        <IdentityButton
          identity={options.identity}
          next={invitation === null ? next : toInvitation(invitation)}
          referral={referral}
        />
      )}
      <p className={styles.links}>
        <Link to={withEmail(paths.login, fields.email)}>{t('loginLink')}</Link>
        <Link to={withEmail(paths.forgot, fields.email)}>{t('forgotLink')}</Link>
        <Link to={withEmail(paths.resend, fields.email)}>{t('resendLink')}</Link>
      </p>
    </>
  );
}

/** Draws `<name>words</name>` in a text as the link of this name. */
function Linked({ text, links }: { text: string; links: Record<string, LinkProps> }) {
  return text.split(/(<\w+>.*?<\/\w+>)/).map((part) => {
    const [, name = '', words] = /^<(\w+)>(.*)<\/\1>$/.exec(part) ?? [];
    const link = links[name];
    return link ? (
      <Link key={name} {...link}>
        {words}
      </Link>
    ) : (
      part
    );
  });
}

const invitedTo = ['account', 'team', 'meeting', 'folder', 'recording'] as const;

/** Sentence that says who invites and to what; told by the page of the invitation, which leads here. */
function useInvitedBy(): string | undefined {
  const { t } = useTranslation('invitations');
  const state: unknown = useLocation().state;
  if (typeof state !== 'object' || state === null) return undefined;
  const by: unknown = Reflect.get(state, 'by');
  const to: unknown = Reflect.get(state, 'to');
  const kind = invitedTo.find((one) => one === to);
  if (typeof by !== 'string' || kind === undefined) return undefined;
  return t(`from.${kind}`, { name: by || t('somebody') });
}

/** Errors of the fields beside the terms, which the server finds as well: without the terms, nothing is sent to it. */
function missing(fields: Record<string, string>): FieldError[] {
  const { password = '', passwordConfirm = '' } = fields;
  return [
    ...Object.keys(fields)
      .filter((field) => fields[field]?.trim() === '')
      .map((field) => ({ field, code: 'required' })),
    ...(password !== '' && [...password].length < shortest ? [{ field: 'password', code: 'password_short' }] : []),
    ...(passwordConfirm !== '' && passwordConfirm !== password
      ? [{ field: 'passwordConfirm', code: 'password_mismatch' }]
      : []),
  ];
}

/** Shown after the registration: either signed in already, or with a mail to confirm the address. */
function Registered({ as: done, email }: { as: Done; email: string }) {
  const { t } = useTranslation('signIn');
  if (done === 'signed-in') {
    return (
      <div className={styles.done} role="status">
        <PageTitle lead={t('register.redirecting')}>{t('register.signedIn')}</PageTitle>
      </div>
    );
  }
  return (
    <div className={styles.done} role="status">
      <PageTitle>{t('register.checkTitle')}</PageTitle>
      <p>{t('register.checkText', { email })}</p>
      <p>
        <Linked text={t('register.resendHint')} links={{ page: { to: withEmail(paths.resend, email) } }} />
      </p>
      <p className={styles.links}>
        <Link to={withEmail(paths.login, email)}>{t('loginLink')}</Link>
      </p>
    </div>
  );
}
