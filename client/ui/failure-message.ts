import type { TFunction } from 'i18next';

import { ApiError } from '../api.ts';

/** Message for a failure without a message of its own. */
export function failureMessage(error: unknown, t: TFunction<['common', 'shell']>): string {
  if (!(error instanceof ApiError)) return t('common:somethingWrong');
  if (error.status === 0) return t('shell:error.network');
  if (error.status === 429) return waitMessage(error.retryAfter, t);
  // The text of a 5xx answer is meant for programs.
  return error.status < 500 && error.message !== '' ? error.message : t('common:somethingWrong');
}

function waitMessage(seconds: number | undefined, t: TFunction<['common', 'shell']>): string {
  if (seconds === undefined) return t('shell:error.rate');
  if (seconds < 90) return t('shell:error.rateSeconds', { count: seconds });
  return t('shell:error.rateMinutes', { count: Math.ceil(seconds / 60) });
}
