import { expect, test } from 'vitest';
import { readRange } from './media.ts';

test.each([
  { header: undefined, is: null },
  { header: 'bytes=0-', is: { from: 0, to: 99 } },
  { header: 'bytes=0-0', is: { from: 0, to: 0 } },
  { header: 'bytes=10-19', is: { from: 10, to: 19 } },
  { header: 'bytes=90-1000', is: { from: 90, to: 99 } },
  { header: 'bytes=-10', is: { from: 90, to: 99 } },
  { header: 'bytes=-1000', is: { from: 0, to: 99 } },
  { header: 'bytes=100-', is: false },
  { header: 'bytes=-0', is: false },
  { header: 'bytes=20-10', is: null },
  { header: 'bytes=-', is: null },
  { header: 'bytes=0-1,5-6', is: null },
  { header: 'seconds=0-1', is: null },
  { header: `bytes=${'9'.repeat(16)}-`, is: null },
])('$header of 100 bytes', ({ header, is }) => {
  expect(readRange(header, 100)).toEqual(is);
});

test('an empty file has no ranges', () => {
  expect(readRange('bytes=0-', 0)).toBe(false);
  expect(readRange('bytes=-5', 0)).toBe(false);
});
