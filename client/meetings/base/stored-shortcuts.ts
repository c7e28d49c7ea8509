import { atom } from 'jotai';

import { actionIds, keymapOf, profileIds, type OwnKeys, type Profile } from './keymap.ts';

// Keys are of this keyboard, so of this browser: nobody's account carries them to another.

const storageKey = 'colloquy-keys';

interface KeptKeys {
  profile: Profile;
  /** What was changed, for each profile by itself. */
  own: Partial<Record<Profile, OwnKeys>>;
}

export function readKept(text: string | null): KeptKeys {
  const kept: KeptKeys = { profile: 'ours', own: {} };
  let found: unknown;
  try {
    found = JSON.parse(text ?? 'null');
  } catch {
    return kept;
  }
  if (!isObject(found)) return kept;
  kept.profile = profileIds.find((id) => id === found['profile']) ?? 'ours';
  const all = found['own'];
  if (!isObject(all)) return kept;
  for (const profile of profileIds) {
    const own = all[profile];
    if (!isObject(own)) continue;
    const keys: OwnKeys = {};
    for (const id of actionIds) {
      const chords = own[id];
      if (Array.isArray(chords) && chords.every((chord) => typeof chord === 'string')) keys[id] = chords;
    }
    kept.own[profile] = keys;
  }
  return kept;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

function load(): KeptKeys {
  try {
    return readKept(localStorage.getItem(storageKey));
  } catch {
    return readKept(null);
  }
}

const current = atom<KeptKeys | null>(null);

export const keptKeysAtom = atom(
  (get) => get(current) ?? load(),
  (_get, set, kept: KeptKeys) => {
    set(current, kept);
    try {
      localStorage.setItem(storageKey, JSON.stringify(kept));
    } catch {
      // Storage refused: they last as long as the page.
    }
  },
);

export const keymapAtom = atom((get) => {
  const { profile, own } = get(keptKeysAtom);
  return keymapOf(profile, own[profile] ?? {});
});
