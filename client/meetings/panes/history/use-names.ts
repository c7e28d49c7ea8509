import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import type { HistoryPerson } from '#shared/meetings/history.ts';

export interface Names {
  of(id: string): string;
  /** Of several, as a sentence lists them. */
  list(ids: readonly string[]): string;
}

/** What people are called here, also those who have no name any more. */
export function useNames(people: readonly HistoryPerson[]): Names {
  const { t, i18n } = useTranslation('history');
  const { language } = i18n;
  return useMemo(() => {
    const byId = new Map(people.map((person) => [person.id, person]));
    const of = (id: string) => {
      const { kind = 'gone', name = '' } = byId.get(id) ?? {};
      return name || t(kind === 'guest' ? 'guest' : 'gone');
    };
    const format = new Intl.ListFormat(language, { type: 'conjunction' });
    return { of, list: (ids) => format.format(new Set(ids.map(of))) };
  }, [people, t, language]);
}
