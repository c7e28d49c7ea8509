import type { Awareness } from 'y-protocols/awareness';
import type * as Y from 'yjs';

import { colorOf } from '../../../ui/avatar.tsx';
import { decodePosition } from '../../text/carets.ts';

/** A stretch of the flat text that somebody else is at, with the number of their colour. */
export interface Taken {
  from: number;
  to: number;
  voice: number;
  name: string;
}

/** Where the others have their caret or their selection now. */
export function takenIn(doc: Y.Doc, awareness: Awareness): Taken[] {
  return [...awareness.getStates()].flatMap(([client, state]): Taken[] => {
    if (client === awareness.clientID) return [];
    const cursor = state['cursor'] as { anchor?: unknown; head?: unknown } | null | undefined;
    const [head, anchor] = [decodePosition(doc, cursor?.head), decodePosition(doc, cursor?.anchor)];
    if (head === null) return [];
    const user = state['user'] as { id?: string; name?: string } | undefined;
    const [from, to] = [Math.min(head, anchor ?? head), Math.max(head, anchor ?? head)];
    return [{ from, to, voice: colorOf(user?.id ?? String(client)) + 1, name: user?.name ?? '' }];
  });
}

/** Who is at a word: with the caret in it or at its edge, or with a part of it selected, but not with a whole passage. */
export function takerOf(taken: readonly Taken[], word: { at: number; length: number }): Taken | null {
  const end = word.at + word.length;
  return taken.find(({ from, to }) => from <= end && to >= word.at && to - from <= 3 * word.length) ?? null;
}
