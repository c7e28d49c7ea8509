import { expect, test } from 'vitest';
import { fileLimits } from '#shared/intake.ts';
import { collapsed, fileError } from './file-rules.ts';

test.each([
  ['talk.mp3', 1, null],
  ['TALK.MP4', fileLimits.mostBytes, null],
  ['talk.mp3', fileLimits.mostBytes + 1, 'large'],
  ['talk.mp3', 0, 'empty'],
  ['talk.pdf', 10, 'unsupported'],
  ['Talk.ARF', 10, 'arf'],
  ['talk', 10, 'unsupported'],
  ['.mp3', 10, 'unsupported'],
])('%s of %i bytes: %s', (name, size, error) => {
  expect(fileError({ name, size })).toBe(error);
});

test('text pasted into a field of one line has single spaces', () => {
  expect(collapsed('Weekly\r\n\tcall  of\u00a0Monday')).toBe('Weekly call of Monday');
});
