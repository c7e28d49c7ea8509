import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router-dom';

import { dollarsOf } from '#shared/dollars.ts';
import { deletionReasons } from '#shared/account-choices.ts';
import type { PrincipalView } from '#shared/accounts.ts';
import type { ClosingView } from '#shared/closing.ts';
import { briefly } from '#shared/leaving.ts';
import type { FieldError } from '#shared/problems.ts';

import { ApiError, useApi } from '../../api.ts';
import { groupPath, paths } from '../../paths.ts';
import { sessionKey } from '../../session.ts';
import { useNotify } from '../../store.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { PasswordField, SelectField, TextArea } from '../../ui/field.tsx';
import { Actions, Form, FormErrors } from '../../ui/form.tsx';
import { leaveForGood } from '../leave-here.ts';
import { useSignInOptions } from '../options.ts';
import { SaidError, useSending } from '../../ui/sending.ts';
import { useTranslation } from '../../use-translation.ts';
import { askNatively } from './native-confirm.ts';
import styles from './profile.module.css';
import { Pending, Section } from './section.tsx';
import { legacyOf, SharedRecordings, type Choices } from './shared-recordings.tsx';

/** Milliseconds that each of the two steps after a deletion waits. */
const pause = 1000;

/** The dialog's query parameter: the identity provider leads back to it. */
const stages = { asking: 'ask', proved: 'proved' } as const;
const addressOf = (stage: string) => `${paths.profile}?${new URLSearchParams({ delete: stage })}`;

export function DeleteAccount({ principal }: { principal: PrincipalView }) {
  const { t } = useTranslation('profile');
  const [query, setQuery] = useSearchParams();
  const [deleting, setDeleting] = useState(false);
  const stage = query.get('delete');
  const go = (to: Record<string, string>) => setQuery(to, { replace: true, preventScrollReset: true });
  const close = () => go({});
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(stage);
  if (stage !== null && stage !== shown) setShown(stage);

  return (
    <Section title={t('delete.title')} lead={t('delete.lead')}>
      <Button onClick={() => go({ delete: stages.asking })}>{t('delete.action')}</Button>
      <Dialog opened={stage !== null} onClose={close} title={t('delete.title')} dismissible={!deleting} keepOnBackdrop>
        {principal.hasPassword || (shown === stages.proved && !query.has('error')) ? (
          <Ask
            userId={String(principal.id)}
            withPassword={principal.hasPassword}
            onDeleting={setDeleting}
            onStale={() => go({ delete: stages.asking, error: 'not-fresh' })}
            onClose={close}
          />
        ) : (
          <Prove error={query.get('error')} onClose={close} />
        )}
      </Dialog>
    </Section>
  );
}

interface AskProps {
  userId: string;
  withPassword: boolean;
  onDeleting: (deleting: boolean) => void;
  /** Called when the last sign-in is too long ago for this action. */
  onStale: () => void;
  onClose: () => void;
}

function Ask({ userId, withPassword, onDeleting, onStale, onClose }: AskProps) {
  const { t } = useTranslation(['common', 'profile']);
  const api = useApi();
  const leave = useLeave();
  const [password, setPassword] = useState('');
  const [reason, setReason] = useState('');
  const [comment, setComment] = useState('');
  const [choices, setChoices] = useState<Choices>({});
  const [judged, setJudged] = useState(false);
  /** How often the person was led to a choice that is missing. */
  const [led, setLed] = useState(0);
  const chosen = deletionReasons.find((one) => one === reason);
  const shared = useQuery({
    queryKey: ['shared-recordings'],
    queryFn: ({ signal }) => parseResponse(api.principals.me['shared-recordings'].$get({}, { init: { signal } })),
    staleTime: 0,
    gcTime: 0,
  });
  const closing = useQuery({
    queryKey: ['closing'],
    queryFn: ({ signal }) => parseResponse(api.principals.me.closing.$get({}, { init: { signal } })),
    staleTime: 0,
    gcTime: 0,
  });
  const recordings = shared.data?.recordings;
  const legacy = recordings && legacyOf(recordings, choices);

  const { send, busy, errors, errorOf, refuse } = useSending(
    async () => {
      if (!chosen || !legacy || !shared.data) return;
      onDeleting(true);
      try {
        const json = {
          reason: chosen,
          ...briefly(legacy, shared.data.digest),
          ...(withPassword && { password }),
          ...(comment.trim() !== '' && { comment }),
        };
        await leaveForGood(userId, (options) => api.principals.me.delete.$post({ json }, options));
      } catch (error) {
        onDeleting(false);
        if (error instanceof ApiError && 'reauthenticate' in error.info) return onStale();
        if (error instanceof ApiError && error.code === 'PAYER') {
          await closing.refetch();
          throw new SaidError(t('profile:delete.payer'), { cause: error });
        }
        // Meanwhile a recording was shared with somebody, or with somebody no more.
        if (error instanceof ApiError && (error.code === 'CONFLICT' || namesRecordings(error))) {
          await shared.refetch();
          throw new SaidError(t('profile:delete.shared.changed'), { cause: error });
        }
        const said = error instanceof ApiError && error.status >= 400 && error.status < 500 && error.message !== '';
        throw said ? error : new SaidError(t('profile:delete.failed'), { cause: error });
      }
      await leave();
    },
    () => undefined,
  );
  const submit = () => {
    if (busy) return;
    const missing = [
      ...(withPassword && password === '' ? [{ field: 'password', code: 'required' }] : []),
      ...(chosen ? [] : [{ field: 'reason', code: 'required' }]),
    ];
    refuse(missing);
    setJudged(true);
    if (missing.length === 0 && recordings && !legacy) setLed(led + 1);
    if (missing.length === 0 && legacy && askNatively(t('profile:delete.confirm'))) send(undefined);
  };

  return (
    <Form label={t('profile:delete.title')} errors={errors} onSubmit={submit}>
      {closing.data && <Losses closing={closing.data} />}
      <p className={styles.muted}>{withPassword ? t('profile:delete.ask') : t('profile:delete.proved')}</p>
      {withPassword && (
        <PasswordField
          name="password"
          label={t('profile:delete.password')}
          value={password}
          onChange={setPassword}
          error={errorOf('password')}
          autoComplete="current-password"
          required
          data-autofocus
        />
      )}
      <SelectField
        name="reason"
        label={t('profile:delete.reason')}
        placeholder={t('profile:delete.choose')}
        options={deletionReasons.map((id) => ({ value: id, label: t(`profile:delete.reasons.${id}`) }))}
        value={reason}
        onChange={setReason}
        error={errorOf('reason')}
        required
      />
      <TextArea
        name="comment"
        label={t('profile:delete.comment')}
        value={comment}
        onChange={setComment}
        error={errorOf('comment')}
        maxLength={2000}
        rows={3}
      />
      {(!recordings || !closing.data) && (
        <Pending
          error={shared.error ?? closing.error}
          onRetry={() => void Promise.all([shared.refetch(), closing.refetch()])}
        />
      )}
      {recordings && recordings.length > 0 && (
        <SharedRecordings recordings={recordings} choices={choices} onChange={setChoices} judged={judged} led={led} />
      )}
      <Actions>
        <Button look="quiet" disabled={busy} onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="danger" disabled={busy || !recordings || closing.data?.teams.length !== 0}>
          {busy ? t('profile:delete.deleting') : t('profile:delete.action')}
        </Button>
      </Actions>
    </Form>
  );
}

/** Money that the account takes with it, and the teams that keep it from being deleted. */
function Losses({ closing: { balance, minutes, plans, teams } }: { closing: ClosingView }) {
  const { t, i18n } = useTranslation('profile');
  const money = dollarsOf(balance, i18n.language);
  const what = [
    ...(Number(balance) > 0 ? [t('delete.credits', { amount: money })] : []),
    ...(minutes > 0 ? [t('delete.minutes', { minutes: Math.floor(minutes).toLocaleString(i18n.language) })] : []),
  ];
  return (
    <>
      {what.length > 0 && <p>{t('delete.loses', { what: what.join(', ') })}</p>}
      {plans.length > 0 && <p>{t('delete.plans', { plans: plans.join(', ') })}</p>}
      {teams.length > 0 && (
        <div role="note">
          <p>{t('delete.payer')}</p>
          <ul>
            {teams.map(({ id, name }) => (
              <li key={id}>
                <Link to={groupPath(id)}>{name}</Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

const namesRecordings = ({ info }: ApiError): boolean =>
  Array.isArray(info['errors']) &&
  (info['errors'] as FieldError[]).some(({ field }) => field === 'others.to' || field.startsWith('recordings.'));

/** After a deletion: shows a notice, reloads the session, and goes to the sign-in page. */
function useLeave(): () => Promise<void> {
  const { t } = useTranslation('profile');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const notify = useNotify();
  const wait = () => new Promise((resolve) => setTimeout(resolve, pause));
  return async () => {
    notify({ type: 'info', message: t('delete.done') });
    await wait();
    await queries.refetchQueries({ queryKey: sessionKey });
    // Removes their data before the next person uses this browser.
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
    await wait();
    await navigate(paths.login, { replace: true });
  };
}

const refusals = ['expired', 'failed', 'not-fresh', 'other-person', 'refused', 'unavailable'] as const;

/** Accounts without a password confirm at the identity provider; the server accepts that for five minutes. */
function Prove({ error, onClose }: { error: string | null; onClose: () => void }) {
  const { t } = useTranslation(['common', 'profile']);
  const options = useSignInOptions();
  const [away, setAway] = useState(false);
  const refusal = error === null ? undefined : (refusals.find((one) => one === error) ?? 'failed');
  if (!options) return null;
  const { identity } = options;
  const prove = (provider: string) => {
    setAway(true);
    const query = new URLSearchParams({ again: '1', next_url: addressOf(stages.proved) });
    window.location.assign(`/api/login/${provider}?${query}`);
  };
  return (
    <div className={styles.made}>
      {refusal && <FormErrors errors={[t(`profile:delete.refusal.${refusal}`)]} />}
      <p>{identity ? t('profile:delete.prove', { name: identity.name }) : t('profile:delete.noPassword')}</p>
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        {identity ? (
          <Button look="primary" busy={away} onClick={() => prove(identity.id)}>
            {t('profile:delete.goThere', { name: identity.name })}
          </Button>
        ) : (
          <ButtonLink look="primary" to={paths.forgot}>
            {t('profile:delete.getPassword')}
          </ButtonLink>
        )}
      </Actions>
    </div>
  );
}
