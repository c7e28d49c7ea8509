import { useMemo } from 'react';

import type { Asking } from '#shared/meetings/annotation-rules.ts';

import { useSession } from '../../../session.ts';
import { useMeeting } from '../../open/meeting-context.ts';

/** Current user and their permissions, in the form the rules need. */
export function useAsking(): Asking {
  const { about, layer } = useMeeting();
  const { permissions } = about;
  const principal = useSession().data?.principal;
  const userId = principal?.kind === 'user' ? String(principal.id) : null;
  const shared = layer !== null;
  const reviewerId = layer?.reviewerId ?? null;
  return useMemo(() => {
    // By a layer, correcting words gives no right to annotate.
    const held = shared ? permissions.filter((one) => one !== 'write') : permissions;
    return { userId, reviewerId, held: new Set(held), shared };
  }, [userId, reviewerId, permissions, shared]);
}
