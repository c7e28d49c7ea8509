import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { useParams } from 'react-router-dom';

import type { Role } from '#shared/roles.ts';
import type { RequestedAccess } from '#shared/sharing.ts';

import { ApiError, useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { paths } from '../paths.ts';
import { useTexts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { relativeDate } from '../ui/dates.tsx';
import { Empty } from '../ui/empty.tsx';
import { Actions } from '../ui/form.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { PageBones } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { RoleSelect } from './role-select.tsx';
import styles from './sharing.module.css';

/** The page behind the mail about a request for access. Opening it changes nothing; a button does. */
export default function Request() {
  const { requestId = '' } = useParams();
  const ready = useTexts('sharing');
  const { t } = useTranslation('sharing');
  const api = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: ['access-request', requestId],
    queryFn: ({ signal }) =>
      parseResponse(api['access-requests'][':id'].$get({ param: { id: requestId } }, { init: { signal } })),
  });
  if (!ready) return <PageBones />;
  if (error instanceof ApiError && error.status === 403)
    return (
      <>
        <PageTitle>{t('request.gone')}</PageTitle>
        <Empty action={<ButtonLink to={paths.home}>{t('open')}</ButtonLink>}>{t('request.goneText')}</Empty>
      </>
    );
  if (error && !data) return <Failure page error={error} onRetry={() => void refetch()} />;
  return data ? <Asked key={data.asks} request={data} /> : <PageBones />;
}

function Asked({ request }: { request: RequestedAccess }) {
  const { t, i18n } = useTranslation('sharing');
  const api = useApi();
  const queries = useQueryClient();
  const [role, setRole] = useState<Role>(request.asks);
  const [had] = useState(request.role !== null);
  const [now] = useState(() => new Date());
  const answer = useMutation({
    mutationFn: (as: Role | null) =>
      parseResponse(api['access-requests'][':id'].$post({ param: { id: request.id }, json: { role: as } })),
    onSuccess: (answered) => {
      queries.setQueryData(['access-request', request.id], answered);
      void queries.invalidateQueries({ queryKey: ['sharing', request.meeting.id] });
    },
  });
  const { email } = request.person;
  const name = request.person.name || email;
  const said = (as: Role) => ({ name, role: t(`role.${as}`) });
  return (
    <div className={styles.asked}>
      <PageTitle
        lead={t('request.text', { name, email, when: relativeDate(new Date(request.at), now, i18n.language) })}
      >
        {t(`request.title.${request.asks}`, { name, recording: request.meeting.title || t('untitled') })}
      </PageTitle>
      {answer.isSuccess ? (
        <p role="status">
          {answer.data.role && answer.variables
            ? // People who had access already get no mail.
              t(had ? 'request.has' : 'request.done', said(answer.data.role))
            : t('request.denied', { name })}
        </p>
      ) : (
        <>
          {request.role && <p>{t('request.has', said(request.role))}</p>}
          <p className={styles.sentence}>
            <span>{name}</span>
            <RoleSelect framed label={t('request.role')} value={role} disabled={answer.isPending} onChange={setRole} />
          </p>
          <Actions>
            <Button look="quiet" busy={answer.isPending} onClick={() => answer.mutate(null)}>
              {t('request.deny')}
            </Button>
            <Button look="primary" busy={answer.isPending} onClick={() => answer.mutate(role)}>
              {t('request.allow')}
            </Button>
          </Actions>
        </>
      )}
      <ButtonLink to={`/meeting/${encodeURIComponent(request.meeting.id)}`} look="quiet">
        {t('request.toRecording')}
      </ButtonLink>
    </div>
  );
}
