import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safePath } from './redirects.ts';

const origin = 'https://colloquy.example';
/** URL a browser would open for it. */
const destination = (path: string) => new URL(path, `${origin}/login?redirectTo=x`);

describe('return targets', () => {
  test.each([
    ['/', '/'],
    ['/profile', '/profile'],
    ['/meeting/5?t=10#here', '/meeting/5?t=10#here'],
    ['/meeting/a b', '/meeting/a%20b'],
    ['/a/../profile', '/profile'],
    ['/buy-credits?redirectTo=/upload', '/buy-credits?redirectTo=/upload'],
    ['/?next=https://evil.example', '/?next=https://evil.example'],
  ])('%j is a path of ours: %j', (given, path) => expect(safePath(given)).toBe(path));

  test.each([
    'https://evil.example',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/..//evil.example',
    '/%2e//evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/path\\..\\evil',
    '/\u0085/evil.example',
    ['java', 'script:alert(1)'].join(''),
    'data:text/html,x',
    'profile',
    '?x',
    '#x',
    '',
    `/${'a'.repeat(2000)}`,
    null,
    undefined,
    7,
    ['/profile'],
    { toString: () => '/profile' },
  ])('%j leads home', (given) => expect(safePath(given)).toBe('/'));

  test('no input leads to another site', () => {
    const parts = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '%2e',
      '%2f',
      '%5c',
      '@',
      ':',
      '?',
      '#',
      '\t',
      '\n',
      ' ',
      'evil.example',
      'http:',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(parts).map((some) => `/${some.join('')}`),
        ),
        (given) => {
          const path = safePath(given);
          expect(destination(path).origin).toBe(origin);
          expect(path).toMatch(/^\/(?!\/)/);
          expect(safePath(path)).toBe(path);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
