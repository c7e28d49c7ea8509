import { atom, useAtomValue, useSetAtom } from 'jotai';
import { useState } from 'react';

import { usePreferences } from '../../../preferences.ts';

const owns = atom<ReadonlyMap<string, boolean>>(new Map());

/** Of what was begun and not sent, by what it is for: whether it was to be for its author alone. */
export const privateChoicesAtom = atom((get) => get(owns));

/** Null where it was sent or let go, and nothing is known any more. */
export const privateChoiceAtom = atom(null, (get, set, key: string, own: boolean | null) => {
  if ((get(owns).get(key) ?? null) === own) return;
  const next = new Map(get(owns));
  if (own === null) next.delete(key);
  else next.set(key, own);
  set(owns, next);
});

/**
 * Whether what is begun is for its author alone: as was said of it before, else as they prefer. It outlasts its field as
 * the words do. Without any (`begun`), what was to be for everybody is not remembered: what comes next is something else.
 */
export function usePrivateChoice(key: string, begun: boolean): [alone: boolean, keep: (alone: boolean | null) => void] {
  const kept = useAtomValue(privateChoicesAtom).get(key);
  const set = useSetAtom(privateChoiceAtom);
  const [{ hardcorePrivacy = false }] = usePreferences();
  const [alone, setAlone] = useState(begun ? (kept ?? hardcorePrivacy) : kept === true || hardcorePrivacy);
  const keep = (next: boolean | null) => {
    set(key, next);
    if (next !== null) setAlone(next);
  };
  return [alone, keep];
}
