import type { TFunction } from 'i18next';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { ApiError } from '../api.ts';
import { failureMessage, failureNotice } from './failure-message.ts';

const t = ((key: string, values?: object) => (values ? `${key} ${JSON.stringify(values)}` : key)) as TFunction<
  ['common', 'shell']
>;
const copied: string[] = [];
beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 4, 1, 13, 19, 30) });
  vi.stubGlobal('document', { documentElement: { lang: 'en-GB' } });
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => void copied.push(text) } });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  copied.length = 0;
});

const refused = (status: number, fields: Partial<ConstructorParameters<typeof ApiError>[0]> = {}) =>
  new ApiError({ status, code: 'RATE', message: 'Too many tries', requestId: 'r-1', ...fields });
const upload = (retryAfter: number) => refused(429, { info: { reason: 'UPLOAD_LIMIT' }, retryAfter });

test.each([
  [3600, '14:20'],
  // The minute in which it is possible has begun by then.
  [3630, '14:20'],
  [3631, '14:21'],
  [12 * 3600, 'Saturday 01:20'],
])('an upload above the limit says at what time the next one is possible: in %i s at %s', (seconds, time) => {
  const message = failureMessage(upload(seconds), t);
  expect(message.replace(/Saturday(,| at)? /, 'Saturday ')).toBe(`shell:error.uploadLimit {"time":"${time}"}`);
});

test('another limit says how long to wait', () => {
  expect(failureMessage(refused(429, { retryAfter: 20 }), t)).toBe('shell:error.rateSeconds {"count":20}');
  expect(failureMessage(refused(429, { retryAfter: 600 }), t)).toBe('shell:error.rateMinutes {"count":10}');
  expect(failureMessage(refused(429), t)).toBe('shell:error.rate');
});

test('a failure of the server offers its request id to copy', () => {
  const [message, , offer] = failureNotice(refused(500, { code: 'INTERNAL', message: 'relation missing' }), t);
  expect(message).toBe('common:somethingWrong');
  if (typeof offer === 'string' || offer?.kind !== 'clickable') throw new Error('nothing to press');
  expect(offer.text).toBe('shell:error.copyId');
  offer.onClick();
  expect(copied).toEqual(['r-1']);
});

test('a refusal has its own words, and no id', () => {
  expect(failureNotice(refused(409, { code: 'CONFLICT', message: 'It was changed' }), t)).toEqual(['It was changed']);
});
