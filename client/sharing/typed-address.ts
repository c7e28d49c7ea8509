import { atom, useAtom } from 'jotai';

import { useSession } from '../session.ts';
import type { Shared } from './sharing-query.ts';

/** Addresses that were typed and not shared with yet, by person and place: closing the dialog loses none. */
const typedAtom = atom<ReadonlyMap<string, string>>(new Map());

export type Typing = [typed: string, onTyped: (change: (now: string) => string) => void];

export function useTypedAddress({ id, folder }: Shared): Typing {
  const me = String(useSession().data?.principal.id);
  const [typed, set] = useAtom(typedAtom);
  const key = JSON.stringify([me, id, folder ?? null]);
  const change: Typing[1] = (next) => set((all) => new Map(all).set(key, next(all.get(key) ?? '')));
  return [typed.get(key) ?? '', change];
}
