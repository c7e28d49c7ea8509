import { ownName, setOfType } from '#shared/meetings/own-types.ts';

import { useKnownSets } from '../../../outcome-models/known-sets.ts';
import { useTranslation } from '../../../use-translation.ts';

/** Name of a single outcome of a type, or of a type below one; an unknown type shows its id. */
export function useTypeName(): (type: string) => string {
  const { t } = useTranslation('outcomes');
  useKnownSets();
  return (type) => {
    if (setOfType(type) !== null) return ownName(type) ?? type;
    return t(`one.${type}` as 'one.notes', {
      defaultValue: t(`types.${type}` as 'types.notes', { defaultValue: type }),
    });
  };
}
