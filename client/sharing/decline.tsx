import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';

import type { InvitationAnswer } from '#shared/accounts.ts';

import { logOutHere } from '../accounts/leave-here.ts';
import { useMailedLink } from '../accounts/mailed.ts';
import styles from '../accounts/sign-in.module.css';
import { useApi } from '../api.ts';
import { loginPath, paths } from '../paths.ts';
import { useRefreshSession, useSession } from '../session.ts';
import { useTexts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { PageBones } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';

/** The page behind the second link of an invitation mail: declines the invitation when its button is pressed. */
export default function Decline() {
  return useTexts('sharing') ? <Asked /> : <PageBones />;
}

const pathOf = (token: string): string => paths.declined.replace(':id', token);

interface Answered extends Pick<InvitationAnswer, 'result' | 'email'> {
  token: string;
}

function Asked() {
  const { t } = useTranslation(['sharing', 'signIn', 'invitations']);
  const api = useApi();
  const refresh = useRefreshSession();
  const [answered, setAnswered] = useState<Answered | null>(null);
  const { state, send, busy, errors } = useMailedLink(
    pathOf('-'),
    async (token) => {
      const answer = await parseResponse(api.invitations[':id'].decline.$post({ param: { id: token } }));
      setAnswered({ ...answer, token });
    },
    refresh,
  );

  if (state === 'asking')
    return (
      <>
        <PageTitle lead={t('sharing:declining.lead')}>{t('sharing:declining.title')}</PageTitle>
        <Form label={t('sharing:declining.title')} errors={errors} onSubmit={() => send()}>
          <Button type="submit" look="primary" wide busy={busy}>
            {t('invitations:decline')}
          </Button>
        </Form>
      </>
    );
  if (state === 'dead' || !answered)
    return (
      <div className={styles.done} role="status">
        <PageTitle lead={t('signIn:invitation.deadText')}>{t('signIn:dead.title')}</PageTitle>
        <ButtonLink to={paths.home} wide>
          {t('signIn:home')}
        </ButtonLink>
      </div>
    );
  if (answered.result !== 'ok') return <OtherAccount answered={answered} />;
  return (
    <div className={styles.done} role="status">
      <PageTitle lead={t('sharing:declining.done')}>{t('invitations:declined')}</PageTitle>
      {/* A second click on Decline must not accept: this is where that button was. */}
      <ButtonLink to={paths.home} wide>
        {t('signIn:home')}
      </ButtonLink>
      <ButtonLink to={paths.invitation.replace(':id', answered.token)} look="quiet" wide>
        {t('invitations:accept')}
      </ButtonLink>
    </div>
  );
}

/** The invited address has an account, which alone can decline. */
function OtherAccount({ answered: { result, email, token } }: { answered: Answered }) {
  const { t } = useTranslation('signIn');
  const api = useApi();
  const navigate = useNavigate();
  const refresh = useRefreshSession();
  const { data: session } = useSession();
  const login = loginPath(pathOf(token));
  const leave = useMutation({
    mutationFn: async () => {
      await logOutHere(api, session?.principal.kind === 'user' ? String(session.principal.id) : null);
      await refresh();
      await navigate(login, { replace: true });
    },
  });
  return (
    <div className={styles.done}>
      <PageTitle>{t('invitation.title')}</PageTitle>
      <p role="alert">{t('invitation.relogin', { email: email ?? '' })}</p>
      <Actions>
        {result === 'please-relogin' ? (
          <>
            <ButtonLink to={paths.home} look="quiet">
              {t('invitation.stay')}
            </ButtonLink>
            <Button look="primary" busy={leave.isPending} onClick={() => leave.mutate()}>
              {t('invitation.leave')}
            </Button>
          </>
        ) : (
          <ButtonLink to={login} wide>
            {t('loginLink')}
          </ButtonLink>
        )}
      </Actions>
    </div>
  );
}
