import type { Awareness } from 'y-protocols/awareness';
import type * as Y from 'yjs';

import { colorOf } from '../../../ui/avatar.tsx';
import { decodePosition } from '../../text/carets.ts';

/** Range of the flat text where another person works, with the number of their colour. */
export interface Taken {
  from: number;
  to: number;
  voice: number;
  name: string;
}

/** Current carets and selections of other people. */
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

/** Person working on a word: caret in it or at its edge, or a short selection of it. */
export function takerOf(taken: readonly Taken[], word: { at: number; length: number }): Taken | null {
  const end = word.at + word.length;
  return taken.find(({ from, to }) => from <= end && to >= word.at && to - from <= 3 * word.length) ?? null;
}
