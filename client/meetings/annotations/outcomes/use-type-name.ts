import { useTranslation } from 'react-i18next';

import { typeOf } from '#shared/meetings/outcome-types.ts';

/** What a single outcome of a type is called; a type that nobody knows by its id. */
export function useTypeName(): (type: string) => string {
  const { t } = useTranslation('outcomes');
  return (type) => {
    if (!typeOf(type)) return type;
    return t(`one.${type}` as 'one.notes', { defaultValue: t(`types.${type}` as 'types.notes') });
  };
}
