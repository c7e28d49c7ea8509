import { useEffect, useEffectEvent, useId, useRef, useState, type KeyboardEvent } from 'react';

import { inCodeOrder, type OutcomeType } from '#shared/meetings/outcome-types.ts';
import { ownAbout, ownName } from '#shared/meetings/own-types.ts';

import { TextField } from '../../../ui/field.tsx';
import { useTouch } from '../../../ui/use-phone.ts';
import { useTranslation } from '../../../use-translation.ts';
import styles from './outcomes-pane.module.css';
import { TypeMark } from './type-mark.tsx';
import { useTypesName } from './use-model.ts';

interface TypePickerProps {
  types: readonly OutcomeType[];
  onPick: (type: string) => void;
  onCancel: () => void;
}

/** Picks a type by its digit or by its first letters; with a finger, from the list, which a keyboard works on, too. */
export function TypePicker({ types, onPick, onCancel }: TypePickerProps) {
  const { t } = useTranslation('outcomes');
  const { name: set } = useTypesName();
  const touch = useTouch();
  const id = useId();
  const picker = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const focusField = () => picker.current?.querySelector('input')?.focus();
  const begin = useEffectEvent(() => {
    if (!touch) return focusField();
    // A keyboard on the screen would cover the list, so that the field has no focus.
    picker.current?.querySelector<HTMLElement>('[role=listbox]')?.focus({ preventScroll: true });
    // The list is taller than a sheet: scrolling to it alone would hide the words and the field above it.
    const whole = picker.current?.closest('[data-composing]') ?? picker.current;
    whole?.scrollIntoView({ block: 'nearest' });
  });
  useEffect(() => begin(), []);
  const all = types
    .filter(({ readOnly }) => !readOnly)
    .toSorted(inCodeOrder)
    .map((type, i) => ({ type, digit: i + 1, label: ownName(type.id) ?? t(`types.${type.id}` as 'types.notes') }));
  const matching = (text: string) => {
    const wanted = text.trim().toLocaleLowerCase();
    const begins = all.filter(({ label }) => label.toLocaleLowerCase().startsWith(wanted));
    return begins.length > 0 ? begins : all.filter(({ label }) => label.toLocaleLowerCase().includes(wanted));
  };
  const listed = typed.trim() === '' ? all : matching(typed);
  const change = (text: string) => {
    setTyped(text);
    setAt(0);
    const found = text.trim() === '' ? [] : matching(text);
    const [only] = found;
    if (only && found.length === 1) onPick(only.type.id);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const digit = typed === '' && /^[1-9]$/.test(event.key) && !event.altKey && !event.ctrlKey && !event.metaKey;
    const chosen = digit ? all.find((one) => one.digit === Number(event.key)) : undefined;
    if (chosen) onPick(chosen.type.id);
    else if (event.key === 'ArrowDown') setAt(Math.min(listed.length - 1, at + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
    else if (event.key === 'Enter') {
      const one = listed[at];
      if (one) onPick(one.type.id);
    } else if (event.key === 'Escape') onCancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  /** Keys of the list are those of the field; letters go on to the field, which then has the focus. */
  const listKeys = (event: KeyboardEvent) => {
    const types = event.key.length === 1 && !/^[1-9]$/.test(event.key);
    if (types && !event.altKey && !event.ctrlKey && !event.metaKey) focusField();
    else keys(event);
  };
  const active = listed[at] && { 'aria-activedescendant': `${id}-${listed[at].type.id}` };
  return (
    <div ref={picker} className={styles.picker}>
      <TextField
        id={id}
        type="search"
        role="combobox"
        label={t('search')}
        placeholder={t(touch ? 'searchHintTouch' : 'searchHint')}
        value={typed}
        autoComplete="off"
        spellCheck={false}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        {...active}
        onChange={change}
        onKeyDown={keys}
      />
      <p id={`${id}-set`} className={styles.set}>
        {set}
      </p>
      <div
        id={`${id}-list`}
        role="listbox"
        tabIndex={-1}
        aria-labelledby={`${id}-set`}
        className={styles.types}
        {...active}
        onKeyDown={listKeys}
      >
        {listed.map(({ type, digit, label }, i) => (
          <div
            key={type.id}
            id={`${id}-${type.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            title={ownAbout(type.id) ?? t(`about.${type.id}` as 'about.notes')}
            className={styles.type}
            // Keeps the focus in the field when an option is clicked.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onPick(type.id)}
          >
            <TypeMark type={type.id} />
            <span className={styles.typeName}>{label}</span>
            {digit <= 9 && !touch && <kbd className={styles.digit}>{digit}</kbd>}
          </div>
        ))}
      </div>
      {listed.length === 0 && <p className={styles.note}>{t('noType')}</p>}
    </div>
  );
}
