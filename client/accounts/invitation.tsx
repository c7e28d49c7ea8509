import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useEffect, useRef, useState } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router-dom';

import { safePath } from '#shared/redirects.ts';
import type { InvitationAnswer } from '#shared/accounts.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { paths } from '../paths.ts';
import { useRefreshSession, useSession } from '../session.ts';
import { useNotify } from '../store.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Actions } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { useTranslation } from '../use-translation.ts';
import { logOutHere } from './leave-here.ts';
import { isDead } from './mailed.ts';
import styles from './sign-in.module.css';

/** The page behind an invitation mail: accepts it, or says what is missing. */
export default function Invitation() {
  const { t } = useTranslation('signIn');
  const { answer, error, retry, leave } = useInvitation();
  if (error && isDead(error)) return <Dead />;
  if (error) {
    return (
      <Failure error={error} onRetry={retry}>
        {t('invitation.failed')}
      </Failure>
    );
  }
  if (!answer) return <PageTitle>{t('invitation.busy')}</PageTitle>;
  if (answer.result === 'apply-error') {
    return (
      <div className={styles.done} role="alert">
        <PageTitle lead={t('invitation.applyError')}>{t('invitation.title')}</PageTitle>
        <ButtonLink to={paths.home} wide>
          {t('home')}
        </ButtonLink>
      </div>
    );
  }
  return <OtherAccount answer={answer} leave={leave} />;
}

/** Accepts the invitation once; `answer` is set where the person has to decide. */
function useInvitation() {
  const { t } = useTranslation('signIn');
  const api = useApi();
  const { id = '' } = useParams();
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefreshSession();
  const { data: session } = useSession();
  const [answer, setAnswer] = useState<InvitationAnswer | null>(null);
  const back = `${paths.invitation.replace(':id', id)}`;
  const redirectTo = query.get('redirectTo');
  const here = redirectTo === null ? back : `${back}?${new URLSearchParams({ redirectTo: safePath(redirectTo) })}`;
  const loginHere = `${paths.login}?${new URLSearchParams({ redirectTo: here })}`;
  const registerHere = `${paths.register}?${new URLSearchParams({ invitationId: id, redirectTo: safePath(redirectTo ?? paths.home) })}`;
  const signedIn = session?.principal.kind === 'user';

  const accept = useMutation({
    mutationFn: () => parseResponse(api.invitations[':id'].$post({ param: { id } })),
    // The page itself says what failed.
    meta: { quiet: true },
    onSuccess: async (result) => {
      switch (result.result) {
        case 'ok':
          await refresh();
          await navigate(
            result.token?.meeting_id ? `/meeting/${result.token.meeting_id}` : safePath(redirectTo ?? paths.home),
            { replace: true },
          );
          break;
        case 'please-register':
          if (signedIn) setAnswer(result);
          else await navigate(registerHere, { replace: true, state: result.invited });
          break;
        case 'please-login':
          notify({ type: 'info', message: t('invitation.pleaseLogin') });
          await navigate(loginHere, { replace: true });
          break;
        case 'please-relogin':
        case 'apply-error':
          setAnswer(result);
      }
    },
  });

  const leave = useMutation({
    mutationFn: async (to: string) => {
      await logOutHere(api, session?.principal.kind === 'user' ? String(session.principal.id) : null);
      await refresh();
      await navigate(to, { replace: true, state: answer?.invited });
    },
  });

  // Only when the session is loaded: the outcome depends on it.
  const started = useRef(false);
  const { mutate } = accept;
  useEffect(() => {
    if (!session || started.current) return;
    started.current = true;
    mutate();
  }, [session, mutate]);

  return {
    answer,
    error: accept.error ?? leave.error,
    retry: () => mutate(),
    leave: {
      busy: leave.isPending,
      toLogin: () => leave.mutate(loginHere),
      toRegister: () => leave.mutate(registerHere),
    },
  };
}

function Dead() {
  const { t } = useTranslation('signIn');
  return (
    <div className={styles.done}>
      <PageTitle lead={t('invitation.deadText')}>{t('dead.title')}</PageTitle>
      <ButtonLink to={paths.home} wide>
        {t('home')}
      </ButtonLink>
    </div>
  );
}

type OtherAccountProps = { answer: InvitationAnswer } & Pick<ReturnType<typeof useInvitation>, 'leave'>;

/** The invitation is for another account. A link alone signs nobody out: unsaved changes on other pages would be lost. */
function OtherAccount({ answer, leave }: OtherAccountProps) {
  const { t } = useTranslation('signIn');
  const relogin = answer.result === 'please-relogin';
  const signedInAs = useSession().data?.principal.email;
  return (
    <div className={styles.done}>
      <PageTitle>{t('invitation.title')}</PageTitle>
      <p role="alert">
        {relogin
          ? t('invitation.relogin', { email: answer.email ?? '' })
          : t('invitation.registerOther', { email: answer.email ?? '' })}
      </p>
      {signedInAs && <p>{t('forgot.signedIn', { email: signedInAs })}</p>}
      <Actions>
        <ButtonLink to={paths.home} look="quiet">
          {t('invitation.stay')}
        </ButtonLink>
        <Button look="primary" busy={leave.busy} onClick={relogin ? leave.toLogin : leave.toRegister}>
          {t('invitation.leave')}
        </Button>
      </Actions>
    </div>
  );
}
