import { useEffect, useState } from 'react';
import type { Awareness } from 'y-protocols/awareness';

import { peopleIn, type Person } from '#sync/client/presence.ts';

import { useSession } from '../../session.ts';

/** Other people in the document, each once however many tabs they have. */
export function usePeople(awareness: Awareness | undefined): readonly Person[] {
  const principal = useSession().data?.principal;
  const ownId = principal?.kind === 'user' ? String(principal.id) : null;
  const [people, setPeople] = useState<readonly Person[]>([]);
  useEffect(() => {
    if (!awareness) return;
    const look = () => setPeople((before) => sameOr(before, peopleIn(awareness, ownId)));
    look();
    awareness.on('change', look);
    return () => awareness.off('change', look);
  }, [awareness, ownId]);
  return people;
}

/** Carets move all the time, but the list of people rarely changes. */
const sameOr = (before: readonly Person[], now: readonly Person[]): readonly Person[] =>
  JSON.stringify(before) === JSON.stringify(now) ? before : now;
