import { atom } from 'jotai';

/** Person whose position this page follows. */
interface Followed {
  id: string;
  name: string;
}

export const followedAtom = atom<Followed | null>(null);

/** Person after the followed one, in a circle. */
export function nextOf<One extends { id: string }>(people: readonly One[], followed: string | null): One | null {
  const at = people.findIndex(({ id }) => id === followed);
  return people[(at + 1) % people.length] ?? null;
}
