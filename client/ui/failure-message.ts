import type { TFunction } from 'i18next';

import { ApiError } from '../api.ts';
import type { NoticePart } from '../store.ts';

/** Message for a failure without a message of its own. */
export function failureMessage(error: unknown, t: TFunction<['common', 'shell']>): string {
  if (!(error instanceof ApiError)) return t('common:somethingWrong');
  if (error.status === 0) return t('shell:error.network');
  if (error.status === 429) return waitMessage(error.retryAfter, t);
  // The text of a 5xx answer is meant for programs.
  return error.status < 500 && error.message !== '' ? error.message : t('common:somethingWrong');
}

/** Notice of a failure; one of the server's own offers its request id for support. */
export function failureNotice(error: unknown, t: TFunction<['common', 'shell']>): NoticePart[] {
  const message = failureMessage(error, t);
  if (!(error instanceof ApiError) || error.status < 500) return [message];
  const copy = () => void navigator.clipboard.writeText(error.requestId).catch(() => {});
  return [message, ' ', { kind: 'clickable', text: t('shell:error.copyId'), onClick: copy }];
}

function waitMessage(seconds: number | undefined, t: TFunction<['common', 'shell']>): string {
  if (seconds === undefined) return t('shell:error.rate');
  if (seconds < 90) return t('shell:error.rateSeconds', { count: seconds });
  return t('shell:error.rateMinutes', { count: Math.ceil(seconds / 60) });
}
