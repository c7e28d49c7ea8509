import { Navigate, Outlet, useLocation } from 'react-router-dom';

import { Failure } from './errors/failure.tsx';
import { loginPath } from './paths.ts';
import { useSession } from './session.ts';
import { PageBones } from './ui/waiting.tsx';
import { useTranslation } from './use-translation.ts';

/** For people who are signed in; guests go to the sign-in page once the session is loaded. */
export function Private() {
  const { t } = useTranslation('shell');
  const { data: session, error, refetch } = useSession();
  const { pathname, search, hash } = useLocation();
  if (session)
    return session.principal.kind === 'user' ? (
      <Outlet />
    ) : (
      <Navigate to={loginPath(pathname + search + hash)} replace />
    );
  if (error) {
    return (
      <Failure page error={error} onRetry={() => void refetch()}>
        {t('error.session')}
      </Failure>
    );
  }
  return <PageBones label={t('waiting.session')} />;
}
