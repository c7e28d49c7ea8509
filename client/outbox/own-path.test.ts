import { expect, it } from 'vitest';

import { ownPath } from './own-path.ts';

const origin = 'http://localhost:3000';

it.each([
  ['http://localhost:3000/confirm/a.b-c', '/confirm/a.b-c'],
  ['http://127.0.0.1:3000/reset/x', '/reset/x'],
  ['http://[::1]:3000/confirm-email-change?token=a.b', '/confirm-email-change?token=a.b'],
  ['http://localhost:3000', '/'],
])('%s is one of our own', (line, path) => {
  expect(ownPath(line, origin)).toBe(path);
});

it.each([
  'https://evil.example/confirm/x',
  'http://localhost.evil.example/confirm/x',
  'http://localhost:3000@evil.example/',
  'javascript:alert(1)',
  'see http://localhost:3000/confirm/x',
  'http://localhost:3000/confirm/x and more',
  '> http://localhost:3000/confirm/x',
  'http://',
  '',
])('%j is text', (line) => {
  expect(ownPath(line, origin)).toBeNull();
});

it('never leads to another origin by a path that looks like one', () => {
  expect(ownPath('http://localhost:3000//evil.example/x', origin)).toBe('/');
});
