import { IconMail } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useNavigate } from 'react-router-dom';

import type { SessionInfo } from '#shared/accounts.ts';

import { ApiError, useApi } from '../api.ts';
import { failureMessage } from '../ui/failure-message.ts';
import { useAnswerInvitation } from './answer-invitation.ts';
import { paths } from '../paths.ts';
import { useRefreshSession, useSession } from '../session.ts';
import { useNotify } from '../store.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { isDead } from '../accounts/mailed.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './waiting-invitations.module.css';

type Waiting = SessionInfo['invitations'][number];

const kinds = ['team', 'meeting', 'folder', 'recording'] as const;

/** Cards of the invitations that wait for an answer. */
export function WaitingInvitations() {
  const { t } = useTranslation('invitations');
  const waiting = useSession().data?.invitations ?? [];
  if (waiting.length === 0) return null;
  return (
    <section className={styles.waiting} aria-label={t('title')}>
      {waiting.map((invitation) => (
        <Card key={invitation.id} invitation={invitation} />
      ))}
    </section>
  );
}

function Card({ invitation }: { invitation: Waiting }) {
  const { t, i18n } = useTranslation(['invitations', 'signIn', 'library']);
  const { t: general } = useTranslation(['common', 'shell']);
  const api = useApi();
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefreshSession();
  const accept = useMutation({
    meta: { quiet: true },
    mutationFn: () => parseResponse(api.invitations[':id'].$post({ param: { id: invitation.id } })),
    onSuccess: async ({ result, token }) => {
      if (result === 'apply-error') return notify({ message: t('signIn:invitation.applyError') });
      if (result !== 'ok') return notify({ message: general('common:somethingWrong') });
      notify({ type: 'info', message: t('invitations:accepted') });
      await refresh();
      if (token?.meeting_id) await navigate(`/meeting/${token.meeting_id}`);
      return undefined;
    },
    onError: (error) => {
      if (error instanceof ApiError && error.status === 401) return;
      notify({ message: isDead(error) ? t('invitations:gone') : failureMessage(error, general) });
      // An invitation that is gone leaves the list, too.
      if (isDead(error)) refresh().catch(() => undefined);
    },
  });
  const answer = useAnswerInvitation();
  const answering = useMutation({
    meta: { quiet: true },
    mutationFn: (yes: boolean) => (yes ? answer.accept(invitation) : answer.decline(invitation)),
  });
  const { group } = invitation;
  const name = invitation.inviter || t('invitations:somebody');
  const kind = kinds.find((one) => one === invitation.kind) ?? 'account';
  const date = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'long' }).format(invitation.expires);
  return (
    <article className={styles.card}>
      <IconMail size={20} stroke={1.5} aria-hidden="true" />
      <div>
        <p>
          {group ? t('invitations:from.named', { name, group: group.name }) : t(`invitations:from.${kind}`, { name })}
        </p>
        <p className={styles.until}>{t('invitations:until', { date })}</p>
      </div>
      <span className={styles.answers}>
        <Button look="quiet" busy={answering.isPending} onClick={() => answering.mutate(false)}>
          {t('invitations:decline')}
        </Button>
        {kind === 'recording' ? (
          <ButtonLink to={`${paths.upload}?${new URLSearchParams({ invite: invitation.id })}`}>
            {t('library:add')}
          </ButtonLink>
        ) : (
          <Button
            busy={accept.isPending || answering.isPending}
            onClick={() => (group ? answering.mutate(true) : accept.mutate())}
          >
            {t('invitations:accept')}
          </Button>
        )}
      </span>
    </article>
  );
}
