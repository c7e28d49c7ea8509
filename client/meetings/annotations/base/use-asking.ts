import { useMemo } from 'react';

import type { Asking } from '#shared/meetings/annotation-rules.ts';

import { useSession } from '../../../session.ts';
import { useMeeting } from '../../open/meeting-context.ts';

/** Current user and their permissions, in the form the rules need. */
export function useAsking(): Asking {
  const { permissions } = useMeeting().about;
  const principal = useSession().data?.principal;
  const userId = principal?.kind === 'user' ? String(principal.id) : null;
  return useMemo(() => ({ userId, held: new Set(permissions) }), [userId, permissions]);
}
