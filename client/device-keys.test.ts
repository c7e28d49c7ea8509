// Habits stay in a browser when a person signs out, and each key of its storage is on one of the two lists.
import { expect, test } from 'vitest';

import { files, read } from '#tests/house/files.ts';

import { dropPersonal } from './device-keys.ts';

/** Storage as a browser has it: keys move up when one is removed. */
function storageOf(...keys: string[]) {
  const stored = [...keys];
  return {
    stored,
    get length() {
      return stored.length;
    },
    key: (place: number) => stored[place] ?? null,
    removeItem: (key: string) => void stored.splice(stored.indexOf(key), 1),
  };
}

test('signing out keeps habits and the note of unsent sound, and nothing else', () => {
  const habits = [
    'colloquy-keys',
    'colloquy-rate',
    'colloquy-jump-short',
    'colloquy-doubts',
    'colloquy-tour-recording',
  ];
  const storage = storageOf(
    'colloquy-session',
    'colloquy-places:9',
    ...habits,
    'colloquy-upload',
    'colloquy-login-zoom',
    'colloquy-unsent-sound',
    'of-nobody-knows-what',
  );
  dropPersonal(storage);
  expect(storage.stored).toEqual([...habits, 'colloquy-unsent-sound']);
});

/** Problems of a source that stores in the browser: keys that are on no list. */
function problemsOf(source: string): string[] {
  const writes = /(?<!sessionStorage)\.setItem\(/.test(source);
  if (!writes || !/\b(?:localStorage|browserStore|Store)\b/.test(source)) return [];
  // Keys of queries are lists.
  const keys = [...source.matchAll(/^.*\bconst \w*[kK]ey(?:Of)? ?(?::|=)[^[\n]*$/gm)].map(([line]) => line);
  if (keys.length === 0) return ['no key with a name'];
  return keys.filter((line) => !/: (?:HabitKey|PersonalKey|KeptKey)\b/.test(line));
}

test('each key of the browser’s storage says whether it stays', () => {
  const typed = `const key: HabitKey = 'colloquy-a';\nlocalStorage.setItem(key, '1');`;
  expect(problemsOf(typed)).toEqual([]);
  expect(problemsOf(typed.replace(': HabitKey', ''))).toHaveLength(1);
  expect(problemsOf(`localStorage.setItem('colloquy-a', '1');`)).toHaveLength(1);
  expect(problemsOf(`const key = 'colloquy-a';\nsessionStorage.setItem(key, '1');`)).toEqual([]);

  const stores = files().filter((path) => /^client\/.*\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path));
  const problems = stores
    // The way to the storage, which has no key of its own.
    .filter((path) => !path.endsWith('/browser-store.ts'))
    .flatMap((path) => problemsOf(read(path)).map((problem) => `${path}: ${problem}`));
  expect(problems).toEqual([]);
});
