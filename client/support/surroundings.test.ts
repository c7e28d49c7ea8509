import { expect, test } from 'vitest';

import { withSurroundings } from './surroundings.ts';

test('has the page, the browser and the time, without query and fragment', () => {
  const page = new URL('https://colloquy.example/confirm-email-change?token=a.b.c#d');
  const at = new Date('2026-03-01T10:00:00Z');
  expect(withSurroundings(' It does not work. \n', { page, browser: 'Firefox', at, recordingMs: null })).toBe(
    'It does not work.\n\n---\nPage: https://colloquy.example/confirm-email-change\nBrowser: Firefox\nTime: 2026-03-01T10:00:00.000Z',
  );
});

test('has the time in the recording, where one is open', () => {
  const page = new URL('https://colloquy.example/meeting/m1');
  const at = new Date('2026-03-01T10:00:00Z');
  expect(withSurroundings('Here.', { page, browser: 'Firefox', at, recordingMs: 758_900 })).toMatch(
    /\nRecording time: 12:38$/,
  );
});
