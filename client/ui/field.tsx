import { IconChevronDown, IconEye, IconEyeOff } from '@tabler/icons-react';
import { useId, useState, type ChangeEvent, type ReactNode } from 'react';

import { useTranslation } from '../use-translation.ts';
import styles from './field.module.css';
import type { Native } from './native.ts';

interface Common {
  label: ReactNode;
  hint?: ReactNode;
  /** Error shown below the field and announced with it. */
  error?: ReactNode;
}

interface Typed<Element> extends Common {
  onChange?: (value: string, event: ChangeEvent<Element>) => void;
}

const isSaid = (words: ReactNode) => words !== undefined && words !== null && words !== false && words !== '';

/** Connects a control with its label, hint and error for screen readers. */
function useWords(given: string | undefined, { hint, error }: Common) {
  const made = useId();
  const id = given ?? made;
  const ids = { hint: `${id}-hint`, error: `${id}-error` };
  const described = [isSaid(hint) && ids.hint, isSaid(error) && ids.error].filter(Boolean).join(' ');
  return {
    ids,
    control: {
      id,
      'aria-invalid': isSaid(error) || undefined,
      'aria-describedby': described === '' ? undefined : described,
    },
  };
}

interface WordsProps extends Common {
  ids: { hint: string; error: string };
}

function Below({ ids, hint, error }: WordsProps) {
  return (
    <>
      {isSaid(hint) && (
        <p id={ids.hint} className={styles.hint}>
          {hint}
        </p>
      )}
      {isSaid(error) && (
        <p id={ids.error} className={styles.error}>
          {error}
        </p>
      )}
    </>
  );
}

interface FrameProps extends WordsProps {
  htmlFor: string;
  required: boolean | undefined;
  children: ReactNode;
}

function Frame({ htmlFor, required, label, children, ...below }: FrameProps) {
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={htmlFor} data-required={required || undefined}>
        {label}
      </label>
      {children}
      <Below label={label} {...below} />
    </div>
  );
}

interface TextFieldProps extends Typed<HTMLInputElement>, Native<'input'> {}

export function TextField({ label, hint, error, onChange, ...rest }: TextFieldProps) {
  const { ids, control } = useWords(rest.id, { label, hint, error });
  return (
    <Frame htmlFor={control.id} required={rest.required} label={label} hint={hint} error={error} ids={ids}>
      <input
        {...rest}
        {...control}
        className={styles.input}
        onChange={(event) => onChange?.(event.currentTarget.value, event)}
      />
    </Frame>
  );
}

export function EmailField(props: TextFieldProps) {
  return (
    <TextField
      type="email"
      inputMode="email"
      autoComplete="email"
      autoCapitalize="none"
      spellCheck={false}
      dir="ltr"
      {...props}
    />
  );
}

export function PasswordField({ label, hint, error, onChange, ...rest }: TextFieldProps) {
  const { t } = useTranslation('common');
  const { ids, control } = useWords(rest.id, { label, hint, error });
  const [shown, setShown] = useState(false);
  const Icon = shown ? IconEyeOff : IconEye;
  return (
    <Frame htmlFor={control.id} required={rest.required} label={label} hint={hint} error={error} ids={ids}>
      <div className={styles.box}>
        <input
          autoComplete="current-password"
          autoCapitalize="none"
          spellCheck={false}
          {...rest}
          {...control}
          type={shown ? 'text' : 'password'}
          className={styles.input}
          data-room
          onChange={(event) => onChange?.(event.currentTarget.value, event)}
        />
        <button
          type="button"
          className={styles.reveal}
          aria-label={t('showPassword')}
          aria-pressed={shown}
          aria-controls={control.id}
          onClick={() => setShown(!shown)}
        >
          <Icon size={18} stroke={1.5} aria-hidden="true" />
        </button>
      </div>
    </Frame>
  );
}

interface TextAreaProps extends Typed<HTMLTextAreaElement>, Native<'textarea'> {}

export function TextArea({ label, hint, error, onChange, rows = 4, ...rest }: TextAreaProps) {
  const { ids, control } = useWords(rest.id, { label, hint, error });
  return (
    <Frame htmlFor={control.id} required={rest.required} label={label} hint={hint} error={error} ids={ids}>
      <textarea
        {...rest}
        {...control}
        rows={rows}
        className={styles.input}
        onChange={(event) => onChange?.(event.currentTarget.value, event)}
      />
    </Frame>
  );
}

interface Option {
  value: string;
  label: string;
  disabled?: boolean;
}

const optionOf = ({ value, label, disabled }: Option) => (
  <option key={value} value={value} disabled={disabled}>
    {label}
  </option>
);

interface SelectFieldProps extends Typed<HTMLSelectElement>, Native<'select'> {
  options: readonly Option[];
  /** Further options, under a heading. */
  others?: { label: string; options: readonly Option[] };
  /** Shown while nothing is chosen. */
  placeholder?: string;
}

/** Native select, the best list on a phone. */
export function SelectField({ label, hint, error, onChange, options, others, placeholder, ...rest }: SelectFieldProps) {
  const { ids, control } = useWords(rest.id, { label, hint, error });
  return (
    <Frame htmlFor={control.id} required={rest.required} label={label} hint={hint} error={error} ids={ids}>
      <div className={styles.box}>
        <select
          {...rest}
          {...control}
          className={styles.input}
          data-room
          onChange={(event) => onChange?.(event.currentTarget.value, event)}
        >
          {placeholder !== undefined && (
            <option value="" disabled hidden>
              {placeholder}
            </option>
          )}
          {options.map(optionOf)}
          {others && <optgroup label={others.label}>{others.options.map(optionOf)}</optgroup>}
        </select>
        <IconChevronDown className={styles.fold} size={18} stroke={1.5} aria-hidden="true" />
      </div>
    </Frame>
  );
}

interface ToggleProps extends Common, Omit<Native<'input'>, 'type'> {
  onChange?: (checked: boolean, event: ChangeEvent<HTMLInputElement>) => void;
}

/** Checkbox whose value counts when the form is sent. */
export function CheckField(props: ToggleProps) {
  return <Toggle {...props} kind="tick" />;
}

interface TickProps extends Omit<Native<'input'>, 'type'> {
  onChange: (event: ChangeEvent<HTMLInputElement>) => void;
  /** Accessible name, because no label is visible. */
  'aria-label': string;
}

/** Checkbox in a list, labelled by its row. */
export function Tick(props: TickProps) {
  return <input {...props} type="checkbox" className={styles.tick} />;
}

/** Switch that takes effect at once. */
export function SwitchField(props: ToggleProps) {
  return <Toggle {...props} kind="switch" />;
}

function Toggle({ label, hint, error, onChange, kind, ...rest }: ToggleProps & { kind: 'tick' | 'switch' }) {
  const { ids, control } = useWords(rest.id, { label, hint, error });
  return (
    <div className={styles.toggle}>
      <input
        {...rest}
        {...control}
        type="checkbox"
        role={kind === 'switch' ? 'switch' : undefined}
        className={styles[kind]}
        onChange={(event) => onChange?.(event.currentTarget.checked, event)}
      />
      <div>
        <label className={styles.name} htmlFor={control.id}>
          {label}
        </label>
        <Below label={label} hint={hint} error={error} ids={ids} />
      </div>
    </div>
  );
}
