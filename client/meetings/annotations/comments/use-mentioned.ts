import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useMemo, useState } from 'react';

import { useApi } from '../../../api.ts';
import { useAnnotations } from '../base/open-annotations.ts';
import { useAsking } from '../base/use-asking.ts';
import { usePeople } from '../../live/use-people.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import type { Mentioned } from './mentioning.ts';

/**
 * People offered for mentions: everyone present, authors of annotations, the owner, and once `ask` was called, others whom
 * the server names. In an assessment, only people whom its layer shows.
 */
export function useMentioned(): { people: readonly Mentioned[]; ask: () => void } {
  const { about, live, layer } = useMeeting();
  const here = usePeople(live.awareness);
  const view = useAnnotations();
  const { userId } = useAsking();
  const api = useApi();
  const [asks, setAsks] = useState(false);
  const { id } = about;
  const { data: named } = useQuery({
    // Private comments notify nobody.
    enabled: asks && layer === null && about.permissions.includes('comment'),
    queryKey: ['meeting', id, 'mentionable'],
    queryFn: ({ signal }) =>
      parseResponse(api.meetings[':id'].mentionable.$get({ param: { id } }, { init: { signal } })),
    select: ({ people }) => people,
    // Without an answer, the people known to the page are offered.
    meta: { quiet: true, stay: true },
  });
  const owner = layer === null ? about.owner : null;
  const people = useMemo(() => {
    const said = view ? [...view.comment.values(), ...view.outcome.values()].map(({ author }) => author) : [];
    const known = new Map<string, Mentioned>();
    const all = [...(owner ? [owner] : []), ...here, ...said.filter(({ kind }) => kind === 'user'), ...(named ?? [])];
    for (const { id: person, name } of all)
      if (person !== '' && person !== userId && name.trim() !== '') known.set(person, { id: person, name });
    return [...known.values()].sort((one, other) => one.name.localeCompare(other.name));
  }, [owner, here, view, userId, named]);
  return { people, ask: () => setAsks(true) };
}
