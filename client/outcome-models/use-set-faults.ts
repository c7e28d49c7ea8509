import { useCallback } from 'react';

import { mostSets } from '#shared/meetings/own-types.ts';
import type { FieldError } from '#shared/problems.ts';

import { useTranslation } from '../use-translation.ts';

const own = ['twice', 'number', 'unknown'] as const;
const common = ['required', 'too_long', 'name'] as const;

/** Messages for what is wrong in a set, with the number of the type. */
export function useSetFaults(): (error: FieldError) => string {
  const { t } = useTranslation(['sets', 'fields']);
  return useCallback(
    ({ field, code }) => {
      if (code === 'too_many' && field === '') return t('fault.full', { most: mostSets });
      if (code === 'too_many' && field === 'retired') return t('fault.kept');
      const here = code === 'too_many' ? 'tooMany' : own.find((one) => one === code);
      const said = common.find((one) => one === code) ?? 'invalid';
      const message = here ? t(`fault.${here}`) : t(`fields:error.${said}`);
      const at = /^types\.(\d+)/.exec(field)?.[1];
      return at === undefined ? message : t('place', { number: Number(at) + 1, message });
    },
    [t],
  );
}
