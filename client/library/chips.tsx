import { facetNames, type FacetName } from '#shared/facets.ts';
import type { Filters } from '#shared/filters.ts';
import { negative } from '#shared/meetings/outcome-types.ts';
import { setOfType } from '#shared/meetings/own-types.ts';

import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { useTranslation } from '../use-translation.ts';
import { useFilterNames } from './filter-names.ts';
import styles from './filters.module.css';
import { useFacets } from './meetings-query.ts';
import type { Going } from './place.ts';

/** The filters that are set; each can be removed. */
export default function Chips({ place, go }: Going) {
  const ready = [useTexts('finding'), useTexts('document')].every(Boolean);
  return ready ? <Row place={place} go={go} /> : <div className={styles.chips} aria-busy="true" />;
}

function Row({ place, go }: Going) {
  const { t } = useTranslation('finding');
  const { nameOf, typeName, dayOf } = useFilterNames();
  const { facets, types = [] } = useFacets(place).data ?? {};
  const filters = place.filters ?? {};
  const without = (name: keyof Filters, value?: string) => {
    const { [name]: now, ...rest } = filters;
    const left = Array.isArray(now) ? now.filter((one) => one !== value) : [];
    go({ filters: left.length > 0 ? { ...rest, [name]: left } : rest });
  };
  const { from, to, outcome } = filters;
  const labelOf = (name: FacetName, value: string): string | null =>
    facets?.find((facet) => facet.name === name)?.values.find((one) => one.value === value)?.label ?? null;
  /** Names of folders, owners and types that people made arrive with the facets. */
  const isHere = (name: FacetName, value: string): boolean =>
    facets !== undefined ||
    (name === 'outcomeType' ? setOfType(value) === null : name !== 'folder' && name !== 'owner');
  const chips = [
    ...facetNames.flatMap((name) =>
      (filters[name] ?? []).map((value) => {
        const text = isHere(name, value) ? nameOf(name, { value, label: labelOf(name, value) }) : '…';
        return { key: `${name} ${value}`, text, remove: () => without(name, value) };
      }),
    ),
    ...(from ? [{ key: 'from', text: t('since', { day: dayOf(from) }), remove: () => without('from') }] : []),
    ...(to ? [{ key: 'to', text: t('until', { day: dayOf(to) }), remove: () => without('to') }] : []),
    ...(outcome ? [{ key: 'outcome', text: gradeText(outcome), remove: () => without('outcome') }] : []),
  ];
  function gradeText({ type, child, below, above, is }: NonNullable<Filters['outcome']>): string {
    const wanted = child ?? type;
    const own = types.flatMap((one) => [one, ...one.children]).find(({ id }) => id === wanted)?.name ?? null;
    const grades = types.find(({ id }) => id === type)?.grades ?? [];
    const named = (value: number) => grades.find((one) => one.value === value)?.name || String(value);
    const name = isHere('outcomeType', wanted) ? typeName(wanted, own ?? labelOf('outcomeType', wanted)) : '…';
    const grade =
      below !== undefined
        ? t('grade.below', { grade: named(below) })
        : above !== undefined
          ? t('grade.above', { grade: named(above) })
          : is === negative
            ? t('grade.missing')
            : is === undefined
              ? undefined
              : named(is);
    return grade === undefined ? name : t('grade.chip', { type: name, grade });
  }
  return (
    <div className={styles.chips} role="group" aria-label={t('chosen')}>
      {chips.map(({ key, text, remove }) => (
        <Chip key={key} tone="accent" onRemove={remove}>
          {text}
        </Chip>
      ))}
      <Button look="quiet" onClick={() => go({ filters: {} })}>
        {t('clear')}
      </Button>
    </div>
  );
}
