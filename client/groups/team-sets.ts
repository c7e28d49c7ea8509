import { isOwnModel, outcomeModelIds, type ModelId } from '#shared/account-choices.ts';
import type { GroupView } from '#shared/groups.ts';
import type { OutcomeModelView } from '#shared/outcome-models.ts';

import { useOwnSets } from '../own-sets.ts';
import { useTranslation } from '../use-translation.ts';

interface TeamSets {
  /** Built-in sets, then those that people made, then others that the team's settings name. */
  ids: readonly ModelId[];
  /** Sets that people made and the team can offer. */
  sets: readonly OutcomeModelView[];
  nameOf: (id: ModelId) => string;
  /** Error of a set that the settings name and that counts for nothing; undefined for all others. */
  faultOf: (id: string) => string | undefined;
  /** Says what choosing a set of people means for members, or how there can be one to choose. */
  hintOf: (id: string) => string | undefined;
  /** False until the sets that people made are known, or cannot be loaded. */
  ready: boolean;
}

/** Sets of outcome types that an admin can choose for a team; null for one that is being made. */
export function useTeamSets(group: Pick<GroupView, 'id'> | null, named: readonly ModelId[]): TeamSets {
  const { t } = useTranslation(['groups', 'accountType']);
  const { data, isError } = useOwnSets();
  const ofTeam = (one: { id: string } | null) => one !== null && one.id === group?.id;
  const sets = (data ?? []).filter(
    (one) => !one.retired && ((one.group === null && one.mayChange) || ofTeam(one.group) || one.offeredIn.some(ofTeam)),
  );
  const setOf = (id: string) => sets.find((one) => one.id === id);
  const isGone = (id: string) => isOwnModel(id) && data !== undefined && setOf(id) === undefined;
  return {
    ids: [...new Set([...outcomeModelIds, ...sets.map(({ id }) => id), ...named])],
    sets,
    nameOf: (id) =>
      isOwnModel(id) ? (setOf(id)?.name ?? (isGone(id) ? t('groups:sets.gone') : '…')) : t(`accountType:models.${id}`),
    faultOf: (id) => (isGone(id) ? t('groups:sets.goneFault') : undefined),
    hintOf: (id) => {
      if (!data) return isError ? t('groups:sets.failed') : undefined;
      if (setOf(id)) return t('groups:sets.shared');
      return sets.length === 0 ? t('groups:sets.none', { place: t('accountType:own') }) : undefined;
    },
    ready: data !== undefined || isError,
  };
}
