import { atom, useAtomValue, useSetAtom } from 'jotai';
import { useState } from 'react';

import { usePreferences } from '../../../preferences.ts';

const choices = atom<ReadonlyMap<string, boolean>>(new Map());

/** Choice of "only me" for each unsent draft, by its key. */
export const privateChoicesAtom = atom((get) => get(choices));

/** Null forgets the choice, after sending or discarding. */
export const privateChoiceAtom = atom(null, (get, set, key: string, isPrivate: boolean | null) => {
  if ((get(choices).get(key) ?? null) === isPrivate) return;
  const next = new Map(get(choices));
  if (isPrivate === null) next.delete(key);
  else next.set(key, isPrivate);
  set(choices, next);
});

/**
 * Choice of "only me" for a draft: what was chosen before, else the person's preference. It outlasts the field, as the
 * draft does. An empty field (`begun` is false) ignores a stored "for everyone": the next draft is another one.
 */
export function usePrivateChoice(key: string, begun: boolean): [alone: boolean, keep: (alone: boolean | null) => void] {
  const chosen = useAtomValue(privateChoicesAtom).get(key);
  const set = useSetAtom(privateChoiceAtom);
  const [{ hardcorePrivacy = false }] = usePreferences();
  const [alone, setAlone] = useState(begun ? (chosen ?? hardcorePrivacy) : chosen === true || hardcorePrivacy);
  const keep = (next: boolean | null) => {
    set(key, next);
    if (next !== null) setAlone(next);
  };
  return [alone, keep];
}
