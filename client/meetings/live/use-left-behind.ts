import { useEffect, useState } from 'react';

import { dropCopy, leftOf } from '#sync/client/copies.ts';
import { passages } from '#sync/client/passages.ts';

import { useSession } from '../../session.ts';
import type { LeftWords } from './room.ts';

/** Of a document that is closed to this person: their words in this browser that were never sent, and how to let them go. */
export function useLeftBehind(room: string): readonly [readonly LeftWords[], (words: LeftWords) => void] {
  const principal = useSession().data?.principal;
  const userId = principal?.kind === 'user' ? String(principal.id) : null;
  const [left, setLeft] = useState<readonly LeftWords[]>([]);
  useEffect(() => {
    if (userId === null) return;
    let here = true;
    leftOf(userId, room).then(
      (found) => {
        const words = found.map(({ generation, doc, unsaved }): LeftWords => {
          const text = passages(doc, unsaved) || passages(doc, null);
          doc.destroy();
          return { why: 'access', text, generation };
        });
        if (here) setLeft(words);
      },
      () => {
        // A browser that keeps nothing kept no words.
      },
    );
    return () => {
      here = false;
    };
  }, [userId, room]);
  const letGo = (words: LeftWords) => {
    setLeft((all) => all.filter((one) => one !== words));
    if (userId !== null && words.generation !== null) dropCopy(userId, room, words.generation).catch(() => {});
  };
  return [left, letGo];
}
