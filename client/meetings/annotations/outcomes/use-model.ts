import { modelIn, readPreferred } from '#shared/meetings/outcome-schema.ts';
import { outcomeModels, type OutcomeType } from '#shared/meetings/outcome-types.ts';

import { useSession } from '../../../session.ts';
import { useDocument } from '../../open/meeting-context.ts';
import { useShared } from '../../base/use-shared.ts';

/** Outcome types to pick from: the model of the recording, else that of the person's account. */
export function useTypes(): readonly OutcomeType[] {
  const { doc } = useDocument();
  const preferred = useShared(doc.getMap('about'), () => readPreferred(doc));
  const own = useSession().data?.principal.outcomeModel ?? null;
  return outcomeModels[modelIn(preferred, own)].types;
}
