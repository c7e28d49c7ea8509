import type { TFunction } from 'i18next';

import { ApiError } from '../api.ts';
import type { NoticePart } from '../store.ts';

/** Message for a failure without a message of its own. */
export function failureMessage(error: unknown, t: TFunction<['common', 'shell']>): string {
  if (!(error instanceof ApiError)) return t('common:somethingWrong');
  if (error.status === 0) return t('shell:error.network');
  if (error.code === 'CLOSED') return t('shell:error.closed');
  if (isUploadLimit(error) && error.retryAfter !== undefined) return limitMessage(error.retryAfter, t);
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

/** No more uploads for now, which sending the file in another way does not change. */
export const isUploadLimit = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 429 && error.info['reason'] === 'UPLOAD_LIMIT';

/** Names the minute in which the next upload is accepted, with the day where it is not today. */
function limitMessage(seconds: number, t: TFunction<['common', 'shell']>): string {
  const at = new Date(Math.ceil((Date.now() + seconds * 1000) / 60_000) * 60_000);
  const isToday = at.toDateString() === new Date().toDateString();
  const time = new Intl.DateTimeFormat(document.documentElement.lang, {
    hour: 'numeric',
    minute: '2-digit',
    ...(!isToday && { weekday: 'long' }),
  }).format(at);
  return t('shell:error.uploadLimit', { time });
}

function waitMessage(seconds: number | undefined, t: TFunction<['common', 'shell']>): string {
  if (seconds === undefined) return t('shell:error.rate');
  if (seconds < 90) return t('shell:error.rateSeconds', { count: seconds });
  return t('shell:error.rateMinutes', { count: Math.ceil(seconds / 60) });
}
