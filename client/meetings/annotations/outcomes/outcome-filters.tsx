import { useAtom, useSetAtom } from 'jotai';

import type { Outcome } from '#shared/meetings/annotations.ts';
import { inCodeOrder, typeOf, type OutcomeType } from '#shared/meetings/outcome-types.ts';
import { ownName } from '#shared/meetings/own-types.ts';

import { SelectField } from '../../../ui/field.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { chosenAtom } from '../base/open-annotations.ts';
import { useAuthorName } from '../base/use-author-name.ts';
import styles from './outcomes-pane.module.css';
import { filterAtom } from './state.ts';

/** Types of these outcomes in the order of their codes, each with how many there are. */
export function typesOf(all: readonly Pick<Outcome, 'type'>[]): { type: OutcomeType; number: number }[] {
  const counts = new Map<string, number>();
  for (const { type } of all) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts]
    .flatMap(([id, number]) => {
      const type = typeOf(id);
      return type ? [{ type, number }] : [];
    })
    .sort((one, other) => inCodeOrder(one.type, other.type));
}

/** Name of a type with the number of its outcomes. */
export function useCounted(): (type: string, number: number) => string {
  const { t } = useTranslation('outcomes');
  return (type, number) => t('counted', { name: ownName(type) ?? t(`types.${type}` as 'types.notes'), number });
}

/** Choice of the outcomes that are listed, and of their order. */
export function OutcomeFilters({ all }: { all: readonly Outcome[] }) {
  const { t } = useTranslation('outcomes');
  const [filter, setFilter] = useAtom(filterAtom);
  const choose = useSetAtom(chosenAtom);
  const counted = useCounted();
  const nameOf = useAuthorName();
  const types = typesOf(all).map(({ type: { id }, number }) => ({ value: id, label: counted(id, number) }));
  const authors = [...new Map(all.map(({ author }) => [author.id, nameOf(author)]))].map(([value, label]) => ({
    value,
    label,
  }));
  if (types.length < 2 && authors.length < 2) return null;
  const set = (more: Partial<typeof filter>) => {
    choose(null);
    setFilter({ ...filter, ...more });
  };
  return (
    <div className={styles.filters}>
      <SelectField
        label={t('byType')}
        options={[{ value: '', label: t('allTypes') }, ...types]}
        value={types.some(({ value }) => value === filter.type) ? filter.type : ''}
        onChange={(type) => set({ type })}
      />
      <SelectField
        label={t('byAuthor')}
        options={[{ value: '', label: t('allAuthors') }, ...authors]}
        value={authors.some(({ value }) => value === filter.author) ? filter.author : ''}
        onChange={(author) => set({ author })}
      />
      {types.length > 1 && (
        <SelectField
          label={t('order')}
          options={(['time', 'type'] as const).map((value) => ({ value, label: t(`orders.${value}`) }))}
          value={filter.grouped ? 'type' : 'time'}
          onChange={(value) => set({ grouped: value === 'type' })}
        />
      )}
    </div>
  );
}
