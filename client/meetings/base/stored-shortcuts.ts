import { atom } from 'jotai';

import type { HabitKey } from '../../device-keys.ts';
import { actionIds, keymapOf, profileIds, type OwnKeys, type Profile } from './keymap.ts';

// Shortcuts depend on the keyboard, so they are stored in this browser and not in the account.

const storageKey: HabitKey = 'colloquy-keys';

interface StoredShortcuts {
  profile: Profile;
  /** Changed shortcuts, by profile. */
  own: Partial<Record<Profile, OwnKeys>>;
}

export function readShortcuts(text: string | null): StoredShortcuts {
  const stored: StoredShortcuts = { profile: 'ours', own: {} };
  let found: unknown;
  try {
    found = JSON.parse(text ?? 'null');
  } catch {
    return stored;
  }
  if (!isObject(found)) return stored;
  stored.profile = profileIds.find((id) => id === found['profile']) ?? 'ours';
  const all = found['own'];
  if (!isObject(all)) return stored;
  for (const profile of profileIds) {
    const own = all[profile];
    if (!isObject(own)) continue;
    const keys: OwnKeys = {};
    for (const id of actionIds) {
      const chords = own[id];
      if (Array.isArray(chords) && chords.every((chord) => typeof chord === 'string')) keys[id] = chords;
    }
    stored.own[profile] = keys;
  }
  return stored;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function load(): StoredShortcuts {
  try {
    return readShortcuts(localStorage.getItem(storageKey));
  } catch {
    return readShortcuts(null);
  }
}

const current = atom<StoredShortcuts | null>(null);

export const storedShortcutsAtom = atom(
  (get) => get(current) ?? load(),
  (_get, set, stored: StoredShortcuts) => {
    set(current, stored);
    try {
      localStorage.setItem(storageKey, JSON.stringify(stored));
    } catch {
      // Storage refused: the shortcuts last as long as the page.
    }
  },
);

export const keymapAtom = atom((get) => {
  const { profile, own } = get(storedShortcutsAtom);
  return keymapOf(profile, own[profile] ?? {});
});
