import { typeOf } from '#shared/meetings/outcome-types.ts';
import { ownName } from '#shared/meetings/own-types.ts';

import { useKnownSets } from '../../../outcome-models/known-sets.ts';
import { useTranslation } from '../../../use-translation.ts';

/** Name of a single outcome of a type; an unknown type shows its id. */
export function useTypeName(): (type: string) => string {
  const { t } = useTranslation('outcomes');
  useKnownSets();
  return (type) => {
    if (!typeOf(type)) return type;
    const own = ownName(type);
    if (own !== null) return own;
    return t(`one.${type}` as 'one.notes', { defaultValue: t(`types.${type}` as 'types.notes') });
  };
}
