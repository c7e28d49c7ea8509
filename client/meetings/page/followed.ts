import { atom } from 'jotai';

/** Who is followed: the page goes where they go. */
interface Followed {
  id: string;
  name: string;
}

export const followedAtom = atom<Followed | null>(null);

/** The one after whoever is followed now, all around. */
export function nextOf<One extends { id: string }>(people: readonly One[], followed: string | null): One | null {
  const at = people.findIndex(({ id }) => id === followed);
  return people[(at + 1) % people.length] ?? null;
}
