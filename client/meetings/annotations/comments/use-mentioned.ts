import { useMemo } from 'react';

import { useAnnotations } from '../base/open-annotations.ts';
import { useAsking } from '../base/use-asking.ts';
import { usePeople } from '../../live/use-people.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import type { Mentioned } from './mentioning.ts';

/** People offered for mentions: the owner, everyone present, and authors of annotations. An owner reads no assessment by that. */
export function useMentioned(): readonly Mentioned[] {
  const { about, live, layer } = useMeeting();
  const here = usePeople(live.awareness);
  const view = useAnnotations();
  const { userId } = useAsking();
  const owner = layer === null ? about.owner : null;
  return useMemo(() => {
    const said = view ? [...view.comment.values(), ...view.outcome.values()].map(({ author }) => author) : [];
    const known = new Map<string, Mentioned>();
    for (const { id, name } of [...(owner ? [owner] : []), ...here, ...said.filter(({ kind }) => kind === 'user')])
      if (id !== '' && id !== userId && name.trim() !== '') known.set(id, { id, name });
    return [...known.values()].sort((one, other) => one.name.localeCompare(other.name));
  }, [owner, here, view, userId]);
}
