import type { TFunction } from 'i18next';
import { useMemo } from 'react';

import type { HistoryPerson } from '#shared/meetings/history.ts';

import { useTranslation } from '../../../use-translation.ts';

export interface Names {
  of(id: string): string;
  /** Several names as a list in a sentence. */
  list(ids: readonly string[]): string;
}

/** Texts for people without a name. */
const nameless = { person: 'gone', gone: 'gone', guest: 'guest', reviewer: 'reviewer' } as const;

/** Name of somebody in the history. */
export const nameIn = (t: TFunction<'history'>, person: HistoryPerson | undefined): string =>
  person?.name || t(nameless[person?.kind ?? 'gone']);

/** Names of people in the history; a person without a name gets a general one. */
export function useNames(people: readonly HistoryPerson[]): Names {
  const { t, i18n } = useTranslation('history');
  const { language } = i18n;
  return useMemo(() => {
    const byId = new Map(people.map((person) => [person.id, person]));
    const of = (id: string) => nameIn(t, byId.get(id));
    const format = new Intl.ListFormat(language, { type: 'conjunction' });
    return { of, list: (ids) => format.format(new Set(ids.map(of))) };
  }, [people, t, language]);
}
