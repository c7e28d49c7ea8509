import { expect, test } from 'vitest';
import { bundlePage, isReturnPage } from './return-pages.ts';

test.each([
  [null, null],
  ['/balance', '/balance'],
  ['/meeting/abc?t=10#here', '/meeting/abc?t=10#here'],
  ['//evil.example', '/'],
  ['https://evil.example/balance', '/'],
  ['/\\evil.example', '/'],
  ['/a/..//evil.example', '/'],
])('buying a bundle from %j leads to %j', (given, back) => {
  const { origin, pathname, searchParams } = new URL(bundlePage('bundle300', given), 'https://colloquy.example');
  expect(origin).toBe('https://colloquy.example');
  // The payment service leads back to it.
  expect(isReturnPage(pathname)).toBe(true);
  expect([searchParams.get('bundle'), searchParams.get('redirectTo')]).toEqual(['bundle300', back]);
});
