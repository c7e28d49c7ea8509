import { useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate, useLocation, useNavigate } from 'react-router-dom';

import { isEmail } from '#shared/email.ts';
import { rootPath } from '#shared/library.ts';

import { Failure } from '../errors/failure.tsx';
import { paths } from '../paths.ts';
import { useSession } from '../session.ts';
import { PageTitle } from '../ui/page-title.tsx';
import { AddHost } from './add-host.tsx';
import { addingAtom } from './adding.ts';

/**
 * The page that only adds a recording, also for guests. People with an invitation are led to it first. `mentor` in the
 * address is the e-mail of the person who is asked to assess the recording.
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
  const sent = session !== undefined && stranger && invite !== null && invite !== '';
  const opens = session !== undefined && !sent;
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
          invited={!stranger && invite !== null && invite !== ''}
          onClosed={() => void navigate(paths.home, { replace: true })}
        />
      )}
    </>
  );
}
