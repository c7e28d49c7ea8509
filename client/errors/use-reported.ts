import { useEffect, useState } from 'react';

import { newId } from '#shared/ids.ts';

import { ApiError, useApi } from '../api.ts';
import { described } from './report.ts';

/** Writes down at the server what broke; the same id is shown to the person. */
export function useReported(error: unknown): string {
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
  return requestId;
}
