import { useTranslation } from 'react-i18next';

import { typeOf } from '#shared/meetings/outcome-types.ts';

/** Name of a single outcome of a type; an unknown type shows its id. */
export function useTypeName(): (type: string) => string {
  const { t } = useTranslation('outcomes');
  return (type) => {
    if (!typeOf(type)) return type;
    return t(`one.${type}` as 'one.notes', { defaultValue: t(`types.${type}` as 'types.notes') });
  };
}
