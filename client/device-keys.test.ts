// Habits stay in a browser when a person signs out, and each key of its storage is on one of the two lists.
import { expect, test } from 'vitest';

import { files, read } from '#tests/house/files.ts';

import { keepHabits, mayHaveSound } from './device-keys.ts';

/** Storage as a browser has it, each key with its name as value. */
function storageOf(...keys: string[]) {
  const stored = new Map(keys.map((key) => [key, key]));
  return {
    stored,
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => void stored.set(key, value),
    clear: () => stored.clear(),
  };
}

test('signing out keeps habits and the note of unsent sound, and nothing else, also where the answer empties all', () => {
  const habits = [
    'colloquy-doubts',
    'colloquy-jump-short',
    'colloquy-keys',
    'colloquy-rate',
    'colloquy-tour-recording',
  ];
  const personal = [
    'colloquy-session',
    'colloquy-places:9',
    'colloquy-upload',
    'colloquy-login-zoom',
    'of-nobody-knows',
  ];
  for (const empties of [true, false]) {
    const storage = storageOf(...personal, ...habits, 'colloquy-unsent-sound');
    const restore = keepHabits(storage);
    if (empties) storage.clear();
    storage.setItem('colloquy-rate', 'of another tab');
    expect(mayHaveSound(storage)).toBe(!empties);
    restore();
    expect([...storage.stored.keys()].toSorted()).toEqual([...habits, 'colloquy-unsent-sound']);
    expect(mayHaveSound(storage)).toBe(true);
    expect([storage.getItem('colloquy-keys'), storage.getItem('colloquy-rate')]).toEqual([
      'colloquy-keys',
      'of another tab',
    ]);
  }
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
