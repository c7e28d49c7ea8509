import { glossaryLimits } from '#shared/glossary.ts';

import { ApiError } from '../api.ts';
import { useTranslation } from '../use-translation.ts';

const said = ['required', 'too_long', 'name'] as const;

/** Faults that the server finds, at their fields. */
export function useFaults(error: Error | null): { term?: string; heard?: string } {
  const { t } = useTranslation(['glossary', 'fields']);
  const faults: { term?: string; heard?: string } = {};
  for (const { field, code } of error instanceof ApiError ? error.errors : []) {
    const at = field.includes('heard') ? 'heard' : 'term';
    const many =
      at === 'heard'
        ? { key: 'fault.heard' as const, most: glossaryLimits.heard }
        : { key: 'fault.terms' as const, most: glossaryLimits.terms };
    const known = said.find((one) => one === code) ?? 'invalid';
    faults[at] ??= code === 'too_many' ? t(many.key, { most: many.most }) : t(`fields:error.${known}`);
  }
  return faults;
}
