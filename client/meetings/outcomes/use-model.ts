import { outcomeModels, type OutcomeType } from '#shared/meetings/outcome-types.ts';

import { useSession } from '../../session.ts';

/** The types this person works with, by the choice of their account. */
export function useTypes(): readonly OutcomeType[] {
  const chosen = useSession().data?.principal.outcomeModel;
  return outcomeModels[chosen === 'coaching' ? 'coaching' : 'meeting'].types;
}
