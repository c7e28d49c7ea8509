import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';

import { builtInFor, isOwnModel, type ModelId } from '#shared/account-choices.ts';
import { modelIn, readPreferred, typesAsked, typesOfModel } from '#shared/meetings/outcome-schema.ts';
import type { OutcomeType } from '#shared/meetings/outcome-types.ts';
import type { SetView } from '#shared/outcome-models.ts';

import { useApi } from '../../../api.ts';
import { learnSets, useKnownSets } from '../../../outcome-models/known-sets.ts';
import { useSession } from '../../../session.ts';
import { useTranslation } from '../../../use-translation.ts';
import { useDocument, useMeeting } from '../../open/meeting-context.ts';
import { useShared } from '../../base/use-shared.ts';

/** Set of outcome types to pick from: that of the review or the recording, else that of the person's account. */
function useChosen() {
  useKnownSets();
  const { doc } = useDocument();
  const preferred = useShared(doc.getMap('about'), () => readPreferred(doc));
  const { accountType = null, outcomeModel = null } = useSession().data?.principal ?? {};
  const own = builtInFor(accountType, outcomeModel);
  const layer = useMeeting().layer;
  const model = layer?.outcomeModel ?? modelIn(preferred, own);
  const set = useSet(model);
  // The set of the account stands in for one that is not known here.
  const known = isOwnModel(model) && !set ? modelIn(null, own) : model;
  return { model: known, set, askedTypes: layer?.askedTypes, shared: layer !== null || preferred !== null };
}

export function useTypes(): readonly OutcomeType[] {
  const { model, set, askedTypes } = useChosen();
  return askedTypes && set ? typesAsked(askedTypes) : typesOfModel(model);
}

/** Name of the set of outcome types, and whether everyone has it here. */
export function useTypesName(): { name: string; shared: boolean } {
  const { t } = useTranslation('accountType');
  const { model, set, shared } = useChosen();
  return { name: isOwnModel(model) ? (set?.name ?? '') : t(`models.${model}`), shared };
}

/** A set that people made, for the recording or its review; one that somebody else has just chosen is asked for. */
export function useSet(model: ModelId | null): SetView | undefined {
  const { about } = useMeeting();
  const api = useApi();
  const before = about.outcomeSets?.find(({ id }) => id === model);
  const { data } = useQuery({
    queryKey: ['meeting', about.id, 'outcome-models', model],
    queryFn: async ({ signal }) => {
      const param = { id: about.id };
      const { models } = await parseResponse(
        api.meetings[':id']['outcome-models'].$get({ param }, { init: { signal } }),
      );
      learnSets(models);
      return models;
    },
    // The types of the account stand in for it.
    meta: { quiet: true },
    enabled: isOwnModel(model) && !before,
  });
  return before ?? data?.find(({ id }) => id === model);
}
