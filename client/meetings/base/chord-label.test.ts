import { expect, test } from 'vitest';

import { labelsOf } from './chord-label.ts';

const german = new Map([
  ['KeyZ', 'y'],
  ['Minus', 'ß'],
  ['Slash', '-'],
]);

test.each<[string, boolean, ReadonlyMap<string, string> | undefined, string]>([
  ['Alt+Shift+KeyJ', false, undefined, 'Alt Shift J'],
  ['Alt+Shift+KeyJ', true, undefined, '⌥ ⇧ J'],
  ['Mod+Slash', false, undefined, 'Ctrl /'],
  ['Mod+Slash', true, undefined, '⌘ /'],
  // Labels as printed on the user's keyboard.
  ['Mod+Slash', false, german, 'Ctrl -'],
  ['Alt+KeyZ', false, german, 'Alt Y'],
  ['Alt+Minus', false, german, 'Alt ß'],
  ['Alt+Digits', false, undefined, 'Alt 1–9'],
  ['Alt+Digit3', false, undefined, 'Alt 3'],
  ['F13', false, german, 'F13'],
  ['Escape', false, undefined, 'Esc'],
  ['Typed?', false, undefined, '?'],
  ['MediaPlayPause', false, undefined, 'MediaPlayPause'],
])('%s on a Mac: %s', (chord, mac, printed, is) => {
  expect(labelsOf(chord, mac, printed).join(' ')).toBe(is);
});
