import { describe, expect, test } from 'vitest';
import { oneLine, scrubAddresses } from './scrub.ts';

describe('secrets are removed from addresses', () => {
  test.each([
    [
      'seen at https://example.org/meeting/5?access_code=QWERTY after login',
      'seen at https://example.org/meeting/5 after login',
    ],
    ['https://example.org/?token=abc', 'https://example.org/'],
    ['https://example.org?token=abc', 'https://example.org'],
    ['http://localhost:3000/x#id_token=abc.def', 'http://localhost:3000/x'],
    ['path /confirm-email-change?token=eyJ.a_b-c, then', 'path /confirm-email-change then'],
    ['https://example.org/reset/eyJhbGciOi.J9-x_y', 'https://example.org/reset/…'],
    ['https://example.org/invitation/qwertyuiopasdfghjklzxcvbnm?redirectTo=%2F', 'https://example.org/invitation/…'],
    ['/confirm/abc and /undo-email-change/def', '/confirm/… and /undo-email-change/…'],
    ['HTTPS://EXAMPLE.ORG/RESET/ABC?X=1', 'HTTPS://EXAMPLE.ORG/RESET/…'],
  ])('%s', (text, scrubbed) => {
    expect(scrubAddresses(text)).toBe(scrubbed);
  });

  test.each([
    'Does it work? Yes/no #1',
    'a/b',
    'https://example.org/meeting/5 is slow',
    '1/2 of the words',
    'no address at all',
  ])('keeps: %s', (text) => {
    expect(scrubAddresses(text)).toBe(text);
  });

  test('handles long text quickly', () => {
    const hostile = '/'.repeat(10_000) + '?'.repeat(100);
    expect(scrubAddresses(hostile)).toBe('/'.repeat(10_000));
  });
});

test('escapes characters that break or hide a line', () => {
  expect(oneLine('a\nb\r\u001b[31m\u009b2J\u2028\u202e\0')).toBe(
    'a\\u{a}b\\u{d}\\u{1b}[31m\\u{9b}2J\\u{2028}\\u{202e}\\u{0}',
  );
  expect(oneLine('Привет, 世界 — ok')).toBe('Привет, 世界 — ok');
});
