import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRouteError } from 'react-router-dom';

import { newId } from '#shared/ids.ts';

import { ApiError, useApi } from '../api.ts';
import { ChunkError } from '../load.ts';
import { Failure } from './failure.tsx';
import { described } from './report.ts';

/** Where even the frame around the screens broke. */
export function RootFailure() {
  return (
    <main>
      <RouteFailure />
    </main>
  );
}

/** In place of a screen that broke. The server's log gets the same id the person sees. */
export function RouteFailure() {
  const error = useRouteError();
  const { t } = useTranslation('shell');
  const api = useApi();
  const [requestId] = useState(() => (error instanceof ApiError ? error.requestId : newId()));
  useEffect(() => {
    const message = described(error);
    if (message === null) return;
    api.logs
      .$post({ json: { message } }, { headers: { 'X-Request-ID': requestId } })
      // The log is the last resort; when it is out of reach there is nobody left to tell.
      .catch(() => undefined);
  }, [api, error, requestId]);
  return (
    <Failure page error={error} requestId={requestId}>
      {error instanceof ChunkError ? t('error.chunk') : t('error.screen')}
    </Failure>
  );
}
