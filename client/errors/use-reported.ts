import { useEffect, useState } from 'react';

import { newId } from '#shared/ids.ts';

import { ApiError, useApi } from '../api.ts';
import { described } from './report.ts';

/** Reports an error to the server, and returns the request id to show. */
export function useReported(error: unknown): string {
  const api = useApi();
  const [requestId] = useState(() => (error instanceof ApiError ? error.requestId : newId()));
  useEffect(() => {
    const message = described(error);
    if (message === null) return;
    api.logs
      .$post({ json: { message } }, { headers: { 'X-Request-ID': requestId } })
      // The log is the last resort.
      .catch(() => undefined);
  }, [api, error, requestId]);
  return requestId;
}
