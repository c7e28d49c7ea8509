import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate } from 'react-router-dom';

import { isEmail } from '#shared/email.ts';
import { rootPath } from '#shared/library.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { paths } from '../paths.ts';
import { useSession } from '../session.ts';
import { PageTitle } from '../ui/page-title.tsx';
import { useTranslation } from '../use-translation.ts';
import { AddHost } from './add-host.tsx';
import { addingAtom } from './adding.ts';

/**
 * The page that only adds a recording, also for guests. `invite` in the address is an invitation, which the page accepts;
 * its own page says what is missing. `mentor` is the e-mail of the person who is asked to assess the recording.
 */
export default function UploadPage() {
  const { t } = useTranslation(['library', 'shell']);
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const [invite] = useState(() => new URLSearchParams(search).get('invite'));
  const [mentor] = useState(() => new URLSearchParams(search).get('mentor') ?? '');
  const { data: session, error, refetch } = useSession();
  const add = useSetAtom(addingAtom);
  const stranger = session?.principal.kind !== 'user';
  const asked = invite !== null && invite !== '';
  const { by, refused } = useInvite(session !== undefined && !stranger && asked ? invite : null);
  const sent = asked && session !== undefined && (stranger || refused);
  const opens = session !== undefined && !sent && (!asked || by !== null);
  useEffect(() => {
    if (!opens) return;
    // Coming back from a service's login has opened it already.
    add((before) => before ?? { file: null });
    return () => add(null);
  }, [add, opens]);
  if (sent) {
    const here = new URLSearchParams({ redirectTo: pathname + search });
    return <Navigate to={`${paths.invitation.replace(':id', encodeURIComponent(invite))}?${here}`} replace />;
  }
  if (error && !session) {
    return (
      <Failure page error={error} onRetry={() => void refetch()}>
        {t('shell:error.session')}
      </Failure>
    );
  }
  return (
    <>
      <PageTitle>{t('library:add')}</PageTitle>
      {opens && (
        <AddHost
          folder={rootPath}
          mentor={isEmail(mentor) ? mentor : ''}
          invite={asked && by !== null ? { code: invite, by } : null}
          onClosed={() => void navigate(paths.home, { replace: true })}
        />
      )}
    </>
  );
}

/** Accepts an invitation, and gives the name of who asks; `refused` where its own page has to say what is missing. */
function useInvite(code: string | null): { by: string | null; refused: boolean } {
  const { t } = useTranslation('invitations');
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: ['invitation', code],
    queryFn: () => parseResponse(api.invitations[':id'].$post({ param: { id: code ?? '' } })),
    enabled: code !== null,
    staleTime: Infinity,
    retry: false,
  });
  const ok = data?.result === 'ok' && data.inviter !== undefined;
  return { by: ok ? data.inviter || t('somebody') : null, refused: error !== null || (data !== undefined && !ok) };
}
