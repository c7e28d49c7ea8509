import { parseResponse } from 'hono/client';
import { useEffect, useState } from 'react';

import { negative } from '#shared/meetings/outcome-types.ts';
import { ownGradeName, ownName, setOfType } from '#shared/meetings/own-types.ts';

import { useApi } from '../../../api.ts';
import { learnSets } from '../../../outcome-models/known-sets.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import type { AnnotationsView } from '../base/meeting-annotations.ts';
import { useAnnotations } from '../base/open-annotations.ts';

/**
 * Learns the sets of types that annotations have and this page does not know: those of a set that was chosen or changed
 * while the page is open. Each unknown type, and each unknown grade of one, is asked for once.
 */
export function useLearnTypes(): void {
  const { about, live } = useMeeting();
  const { id } = about;
  const { connected } = live.state;
  const view = useAnnotations();
  const api = useApi();
  const [asked] = useState(() => new Set<string>());
  useEffect(() => {
    if (!view || !connected) return;
    const unknown = unknownIn(view).filter((one) => !asked.has(one));
    if (unknown.length === 0) return;
    for (const one of unknown) asked.add(one);
    parseResponse(api.meetings[':id']['outcome-models'].$get({ param: { id } })).then(
      ({ models }) => learnSets(models),
      // The next change of an annotation, or the next connection, asks again.
      () => unknown.forEach((one) => asked.delete(one)),
    );
  }, [view, connected, id, api, asked]);
}

const isUnknown = (id: string): boolean => setOfType(id) !== null && ownName(id) === null;

/** Own types that are not learnt, and grades behind their type. */
function unknownIn({ outcome, grade }: AnnotationsView): string[] {
  const outcomes = [...outcome.values()];
  const given = [...outcomes, ...grade.values()];
  return [
    ...[...given, ...outcomes.flatMap(({ children }) => children)].map(({ type }) => type).filter(isUnknown),
    ...given.flatMap(({ type, grade: value }) =>
      setOfType(type) !== null && value !== null && value !== negative && ownGradeName(type, value) === null
        ? `${type} ${value}`
        : [],
    ),
  ];
}
