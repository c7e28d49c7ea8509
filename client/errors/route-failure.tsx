import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useRouteError } from 'react-router-dom';

import { newId } from '#shared/ids.ts';

import { ApiError, useApi } from '../api.ts';
import { ChunkError } from '../load.ts';
import { Failure } from './failure.tsx';

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
    if (error instanceof ApiError || error instanceof ChunkError) return;
    const message = error instanceof Error ? `${error.name}: ${error.message}\n${error.stack ?? ''}` : String(error);
    api.logs
      .$post({ json: { message: message.slice(0, 4_000) } }, { headers: { 'X-Request-ID': requestId } })
      // The log is the last resort; when it is out of reach there is nobody left to tell.
      .catch(() => undefined);
  }, [api, error, requestId]);
  return (
    <Failure page error={error} requestId={requestId}>
      {error instanceof ChunkError ? t('error.chunk') : t('error.screen')}
    </Failure>
  );
}
