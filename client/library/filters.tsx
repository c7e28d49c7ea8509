import { useState, type ReactNode } from 'react';

import type { FacetName } from '#shared/facets.ts';
import type { Facet, Filters as Chosen, GradedType } from '#shared/filters.ts';
import { negative, outcomeModels, typeOf } from '#shared/meetings/outcome-types.ts';

import { Failure } from '../errors/failure.tsx';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextField, Tick } from '../ui/field.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { useFilterNames } from './filter-names.ts';
import styles from './filters.module.css';
import { isTooCommon, useFacets, useValues } from './meetings-query.ts';
import { writeFilters, type Going } from './place.ts';

/** Values of a facet before 'Show more'. */
const few = 6;

/** Panel of filters beside the list; each value shows how many recordings choosing it would leave, if that is known. */
export default function Filters({ place, go }: Going) {
  const { t } = useTranslation(['finding', 'library']);
  const ready = [useTexts('finding'), useTexts('document')].every(Boolean);
  const { data, error, refetch } = useFacets(place);
  const address = writeFilters(place.filters);
  /** Choice made at this address: the next address arrives later than the press. */
  const [pressed, setPressed] = useState<{ address: string; filters: Chosen } | null>(null);
  if (!ready || !data) {
    if (error)
      return (
        <Failure error={error} onRetry={() => void refetch()}>
          {isTooCommon(error) ? t('library:tooCommon') : ready ? t('failed') : ''}
        </Failure>
      );
    return (
      <Waiting>
        <div className={styles.bones}>
          {[60, 80, 50, 70].map((width) => (
            <Bone key={width} width={`${width}%`} height="1.25rem" />
          ))}
        </div>
      </Waiting>
    );
  }
  const chosen = pressed?.address === address ? pressed.filters : (place.filters ?? {});
  const set = (change: Partial<Record<keyof Chosen, unknown>>) => {
    const all = Object.entries({ ...chosen, ...change }).filter(([, one]) => one !== undefined);
    const filters: Chosen = Object.fromEntries(all);
    setPressed({ address, filters });
    go({ filters });
  };
  // One value alone leaves nothing out, except where many recordings have none; days can be chosen beside any month.
  const shown = data.facets
    .map((facet) =>
      facet.values.length > 1 || facet.name === 'review' || chosen[facet.name] ? facet : { ...facet, values: [] },
    )
    .filter(({ name, values }) => values.length > 0 || name === 'date');
  return (
    <div className={styles.filters}>
      {shown.map((facet) => (
        <Group
          key={facet.name}
          facet={facet}
          counted={!data.atMost}
          place={place}
          chosen={chosen[facet.name] ?? []}
          onChange={(values) => set({ [facet.name]: values.length === 0 ? undefined : values })}
          go={go}
        >
          {facet.name === 'date' && <Days chosen={chosen} onChange={set} />}
        </Group>
      ))}
      <Grade chosen={chosen.outcome} own={data.types} onChange={(outcome) => set({ outcome })} />
    </div>
  );
}

interface GroupProps extends Going {
  facet: Facet;
  counted: boolean;
  chosen: readonly string[];
  onChange: (values: string[]) => void;
  children: ReactNode;
}

function Group({ facet: { name, values, more }, counted, place, chosen, onChange, children }: GroupProps) {
  const { t } = useTranslation('finding');
  const [open, setOpen] = useState(false);
  const [like, setLike] = useState('');
  const found = useValues(place, name, like).data?.facets[0]?.values;
  const all = like.trim() !== '' && found ? found : values;
  const first = open ? all : all.filter(({ value }, nth) => nth < few || chosen.includes(value));
  return (
    <fieldset className={styles.group}>
      <legend>{t(`facet.${name}`)}</legend>
      {open && more > 0 && <TextField type="search" label={t('findMore')} value={like} onChange={setLike} />}
      <ul>
        {first.map((one) => (
          <Value
            key={one.value}
            name={name}
            one={one}
            counted={counted}
            checked={chosen.includes(one.value)}
            onCheck={(on) => onChange(on ? [...chosen, one.value] : chosen.filter((value) => value !== one.value))}
          />
        ))}
      </ul>
      {(all.length > few || more > 0) && (
        <Button
          look="quiet"
          aria-expanded={open}
          onClick={() => {
            setOpen(!open);
            setLike('');
          }}
        >
          {open ? t('less') : t('more')}
        </Button>
      )}
      {children}
    </fieldset>
  );
}

interface ValueProps {
  name: FacetName;
  one: Facet['values'][number];
  /** The count is that of the list. */
  counted: boolean;
  checked: boolean;
  onCheck: (on: boolean) => void;
}

function Value({ name, one, counted, checked, onCheck }: ValueProps) {
  const { nameOf } = useFilterNames();
  const { i18n } = useTranslation('library');
  const label = nameOf(name, one);
  return (
    <li>
      <label className={styles.value}>
        <Tick aria-label={label} checked={checked} onChange={(event) => onCheck(event.currentTarget.checked)} />
        <span className={styles.name}>{label}</span>
        {counted && <span className={styles.count}>{one.count.toLocaleString(i18n.language)}</span>}
      </label>
    </li>
  );
}

function Days({ chosen, onChange }: { chosen: Chosen; onChange: (change: { from?: unknown; to?: unknown }) => void }) {
  const { t } = useTranslation('finding');
  const set = (name: 'from' | 'to') => (day: string) => {
    // A field that is being typed in may hold a year of one digit.
    if (day === '' || /^[12]\d{3}-/.test(day)) onChange({ [name]: day === '' ? undefined : day });
  };
  return (
    <div className={styles.days}>
      <TextField type="date" label={t('from')} value={chosen.from ?? ''} onChange={set('from')} />
      <TextField type="date" label={t('to')} value={chosen.to ?? ''} onChange={set('to')} />
    </div>
  );
}

/** Types of the product with grades; those that are set below one are graded like it. */
const builtIn = outcomeModels.coaching.types.filter(({ grades }) => grades.length > 0);
const relations = ['below', 'above', 'is'] as const;

interface GradeProps {
  chosen: Chosen['outcome'];
  /** Types that people made. */
  own: readonly GradedType[];
  onChange: (outcome: Chosen['outcome']) => void;
}

function Grade({ chosen, own, onChange }: GradeProps) {
  const { t } = useTranslation('finding');
  const names = useFilterNames();
  const labels = new Map(own.flatMap((type) => [type, ...type.children].map((one) => [one.id, one.name] as const)));
  const typeName = (type: string) => names.typeName(type, labels.get(type) ?? null);
  const graded = [
    ...builtIn.map(({ id, grades, children }) => ({ id, grades: grades.map(({ value }) => value), children })),
    ...own.map(({ id, grades, children }) => ({
      ...{ id, grades: grades.map(({ value }) => value) },
      children: children.map((child) => child.id),
    })),
  ];
  const typed = chosen?.child ?? chosen?.type ?? '';
  const relation = relations.find((one) => chosen?.[one] !== undefined);
  const now = chosen && relation ? `${relation} ${chosen[relation]}` : '';
  const parent = graded.find((type) => type.id === typed || type.children.includes(typed));
  const grades = parent?.grades ?? typeOf(typed)?.grades.map(({ value }) => value) ?? [];
  const choose = (type: string) => {
    const above = graded.find(({ children }) => children.includes(type));
    if (type === '') return onChange(undefined);
    // Another type may have other grades.
    const next = (above ?? graded.find(({ id }) => id === type))?.grades ?? [];
    const value = relation && chosen?.[relation];
    const rest = relation && value !== undefined && [negative, ...next].includes(value) ? { [relation]: value } : {};
    onChange(above ? { type: above.id, child: type, ...rest } : { type, ...rest });
  };
  const ownGrades = own.find(({ id }) => id === parent?.id)?.grades ?? [];
  const named = (grade: number) => {
    if (grade === negative) return t('grade.missing');
    return ownGrades.find(({ value }) => value === grade)?.name || String(grade);
  };
  const options = [
    ...grades.slice(1).map((grade) => ({ value: `below ${grade}`, label: t('grade.below', { grade: named(grade) }) })),
    ...grades
      .slice(0, -1)
      .map((grade) => ({ value: `above ${grade}`, label: t('grade.above', { grade: named(grade) }) })),
    ...[negative, ...grades].map((grade) => ({ value: `is ${grade}`, label: named(grade) })),
  ];
  return (
    <fieldset className={styles.group}>
      <legend>{t('facet.outcome')}</legend>
      <SelectField
        label={t('grade.type')}
        value={typed}
        options={[
          { value: '', label: t('grade.any') },
          ...graded.flatMap(({ id: type, children }) => [
            { value: type, label: typeName(type) },
            ...children.map((child) => ({ value: child, label: `– ${typeName(child)}` })),
          ]),
        ]}
        onChange={choose}
      />
      {chosen && (
        <SelectField
          label={t('grade.relation')}
          value={now}
          options={[{ value: '', label: t('grade.any') }, ...options]}
          onChange={(value) => {
            const [kind = '', grade = ''] = value.split(' ');
            const { type, child } = chosen;
            onChange({ type, ...(child && { child }), ...(value !== '' && { [kind]: Number(grade) }) });
          }}
        />
      )}
    </fieldset>
  );
}
