import { noFolder, type FacetName } from '#shared/facets.ts';
import type { Facet } from '#shared/filters.ts';
import { ownName, setOfType } from '#shared/meetings/own-types.ts';

import { useSession } from '../session.ts';
import { useTranslation } from '../use-translation.ts';

type Value = Pick<Facet['values'][number], 'value' | 'label'>;

/** How values of facets are written in the person's language. */
export function useFilterNames() {
  const { t, i18n } = useTranslation(['finding', 'library', 'outcomes']);
  const me = useSession().data?.principal.id;
  const languages = new Intl.DisplayNames([i18n.language], { type: 'language', fallback: 'code' });
  const months = new Intl.DateTimeFormat(i18n.language, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const days = new Intl.DateTimeFormat(i18n.language, { dateStyle: 'medium', timeZone: 'UTC' });
  /** Documents may have types that this version does not know; those that people made have their names as labels. */
  const typeName = (type: string, label: string | null = null): string => {
    if (setOfType(type) !== null) return label ?? ownName(type) ?? t('finding:gone');
    return t(`outcomes:types.${type as 'notes'}`, { defaultValue: type });
  };
  const dated = (value: string, format: Intl.DateTimeFormat) => {
    const date = new Date(value);
    return Number.isNaN(date.getTime()) ? value : format.format(date);
  };
  const nameOf = (facet: FacetName, { value, label }: Value): string => {
    if (facet === 'review') return t(`library:review.${value as 'button'}`, { defaultValue: value });
    if (facet === 'folder') return value === noFolder ? t('finding:noFolder') : (label ?? t('finding:gone'));
    if (facet === 'owner') return value === me ? t('library:you') : (label ?? t('finding:gone'));
    if (facet === 'outcomeType') return typeName(value, label);
    if (facet === 'date') return dated(value, months);
    if (facet === 'length') return t(`finding:length.${value as '0-5'}`, { defaultValue: value });
    if (facet === 'language') return /^[a-z]{2,3}(-\w+)*$/i.test(value) ? (languages.of(value) ?? value) : value;
    return value;
  };
  return { nameOf, typeName, dayOf: (day: string) => dated(day, days) };
}
