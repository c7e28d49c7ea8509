import { modelIn, readPreferred } from '#shared/meetings/outcome-schema.ts';
import { outcomeModels, type OutcomeType } from '#shared/meetings/outcome-types.ts';

import { useSession } from '../../../session.ts';
import { useDocument, useMeeting } from '../../open/meeting-context.ts';
import { useShared } from '../../base/use-shared.ts';

/** Outcome types to pick from: those of the review or the recording, else those of the person's account. */
export function useTypes(): readonly OutcomeType[] {
  const { doc } = useDocument();
  const preferred = useShared(doc.getMap('about'), () => readPreferred(doc));
  const own = useSession().data?.principal.outcomeModel ?? null;
  const asked = useMeeting().layer?.outcomeModel;
  return outcomeModels[asked ?? modelIn(preferred, own)].types;
}
