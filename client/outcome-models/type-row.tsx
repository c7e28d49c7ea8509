import { IconArrowDown, IconArrowUp, IconPencil, IconPlus, IconX } from '@tabler/icons-react';

import { Button } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { useTranslation } from '../use-translation.ts';
import type { DraftType } from './draft.ts';
import { SetMark } from './set-mark.tsx';
import styles from './sets.module.css';

const icon = { size: 18, stroke: 1.5, 'aria-hidden': 'true' } as const;
/** Marks by the number of their colour. */
const colors = ['solid', 'double', 'dashed', 'wavy', 'thick'] as const;

interface TypeRowProps {
  type: DraftType;
  /** Counted from 1. */
  number: number;
  last: boolean;
  open: boolean;
  /** Error of a field of this type. */
  errorOf: (field: string) => string | undefined;
  /** Key for a new grade or detail. */
  nextKey: number;
  onOpen: (open: boolean) => void;
  onChange: (more: Partial<DraftType>, nextKey?: number) => void;
  onMove: (by: 1 | -1) => void;
  onRemove: () => void;
}

/** One type: a line, and its fields while it is open. */
export function TypeRow({ type, number, last, open, errorOf, onOpen, onMove, onRemove, ...rest }: TypeRowProps) {
  const { t } = useTranslation('sets');
  const name = type.name || t('unnamed');
  return (
    <li className={styles.type}>
      <div className={styles.line}>
        <SetMark color={type.color} />
        <span className={styles.typeName}>{name}</span>
        <span className={styles.controls}>
          <IconButton
            label={t('open', { name })}
            icon={<IconPencil {...icon} />}
            aria-expanded={open}
            onClick={() => onOpen(!open)}
          />
          <IconButton
            label={t('up', { name })}
            icon={<IconArrowUp {...icon} />}
            disabled={number === 1}
            onClick={() => onMove(-1)}
          />
          <IconButton
            label={t('down', { name })}
            icon={<IconArrowDown {...icon} />}
            disabled={last}
            onClick={() => onMove(1)}
          />
          <IconButton label={t('remove', { name })} icon={<IconX {...icon} />} onClick={onRemove} />
        </span>
      </div>
      {open ? (
        <Fields type={type} number={number} errorOf={errorOf} {...rest} />
      ) : (
        errorOf('name') !== undefined && <p className={styles.error}>{errorOf('name')}</p>
      )}
    </li>
  );
}

type FieldsProps = Pick<TypeRowProps, 'type' | 'number' | 'errorOf' | 'nextKey' | 'onChange'>;

function Fields({ type, number, errorOf, nextKey, onChange }: FieldsProps) {
  const { t } = useTranslation('sets');
  return (
    <div className={styles.inner} role="group" aria-label={t('type', { number })}>
      <div className={styles.fields}>
        <TextField
          required
          label={t('typeName')}
          error={errorOf('name')}
          value={type.name}
          onChange={(name) => onChange({ name })}
        />
        <SelectField
          label={t('color')}
          options={colors.map((name, value) => ({ value: String(value), label: t(`colors.${name}`) }))}
          value={String(type.color)}
          onChange={(value) => onChange({ color: Number(value) })}
        />
      </div>
      <TextField
        label={t('about')}
        hint={t('aboutHint')}
        error={errorOf('about')}
        value={type.about}
        onChange={(about) => onChange({ about })}
      />
      <Grades type={type} number={number} errorOf={errorOf} nextKey={nextKey} onChange={onChange} />
      <Details type={type} number={number} errorOf={errorOf} nextKey={nextKey} onChange={onChange} />
    </div>
  );
}

function Grades({ type: { grades }, errorOf, nextKey, onChange }: FieldsProps) {
  const { t } = useTranslation('sets');
  const change = (key: number, more: { value?: string; name?: string }) =>
    onChange({ grades: grades.map((one) => (one.key === key ? { ...one, ...more } : one)) });
  const add = () => {
    const highest = Math.max(0, ...grades.map(({ value }) => Number(value) || 0));
    onChange({ grades: [...grades, { key: nextKey, value: String(highest + 1), name: '' }] }, nextKey + 1);
  };
  return (
    <fieldset className={styles.part}>
      <legend>{t('grades')}</legend>
      {grades.length === 0 && <p className={styles.muted}>{t('noGrades')}</p>}
      {errorOf('grades') !== undefined && <p className={styles.error}>{errorOf('grades')}</p>}
      {grades.map(({ key, value, name }, i) => (
        <div key={key} className={styles.grade}>
          <TextField
            inputMode="numeric"
            label={t('grade')}
            error={errorOf(`grades.${i}.value`)}
            value={value}
            onChange={(typed) => change(key, { value: typed })}
          />
          <TextField
            label={t('gradeName')}
            error={errorOf(`grades.${i}.name`)}
            value={name}
            onChange={(typed) => change(key, { name: typed })}
          />
          <IconButton
            label={t('remove', { name: name || value })}
            icon={<IconX {...icon} />}
            onClick={() => onChange({ grades: grades.filter((one) => one.key !== key) })}
          />
        </div>
      ))}
      <Button look="quiet" icon={<IconPlus {...icon} />} onClick={add}>
        {t('addGrade')}
      </Button>
    </fieldset>
  );
}

function Details({ type: { children }, errorOf, nextKey, onChange }: FieldsProps) {
  const { t } = useTranslation('sets');
  return (
    <fieldset className={styles.part}>
      <legend>{t('children')}</legend>
      {errorOf('children') !== undefined && <p className={styles.error}>{errorOf('children')}</p>}
      {children.map(({ key, name }, i) => (
        <div key={key} className={styles.detail}>
          <TextField
            label={t('childName')}
            error={errorOf(`children.${i}.name`)}
            value={name}
            onChange={(typed) =>
              onChange({ children: children.map((one) => (one.key === key ? { ...one, name: typed } : one)) })
            }
          />
          <IconButton
            label={t('remove', { name: name || t('childName') })}
            icon={<IconX {...icon} />}
            onClick={() => onChange({ children: children.filter((one) => one.key !== key) })}
          />
        </div>
      ))}
      <Button
        look="quiet"
        icon={<IconPlus {...icon} />}
        onClick={() => onChange({ children: [...children, { key: nextKey, name: '' }] }, nextKey + 1)}
      >
        {t('addChild')}
      </Button>
    </fieldset>
  );
}
