import { Checkbox, NativeSelect, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import type { ChangeEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import styles from './field.module.css';
import type { Native } from './native.ts';

interface Common<Element> {
  label: ReactNode;
  hint?: ReactNode;
  /** What is wrong with it; shown below and announced with the field. */
  error?: ReactNode;
  onChange?: (value: string, event: ChangeEvent<Element>) => void;
}

export interface TextFieldProps extends Common<HTMLInputElement>, Native<'input'> {}

export function TextField({ hint, onChange, ...rest }: TextFieldProps) {
  return <TextInput {...rest} description={hint} onChange={(event) => onChange?.(event.currentTarget.value, event)} />;
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

export function PasswordField({ hint, onChange, ...rest }: TextFieldProps) {
  const { t } = useTranslation('common');
  return (
    <PasswordInput
      {...rest}
      description={hint}
      onChange={(event) => onChange?.(event.currentTarget.value, event)}
      visibilityToggleFocusable
      visibilityToggleIcon={({ reveal }) =>
        reveal ? (
          <IconEyeOff size={18} stroke={1.5} aria-hidden="true" />
        ) : (
          <IconEye size={18} stroke={1.5} aria-hidden="true" />
        )
      }
      visibilityToggleButtonProps={{
        'aria-label': t('showPassword'),
        className: styles.reveal,
      }}
    />
  );
}

export interface TextAreaProps extends Common<HTMLTextAreaElement>, Native<'textarea'> {}

export function TextArea({ hint, onChange, rows = 4, ...rest }: TextAreaProps) {
  return (
    <Textarea
      {...rest}
      rows={rows}
      description={hint}
      onChange={(event) => onChange?.(event.currentTarget.value, event)}
    />
  );
}

export interface SelectFieldProps extends Common<HTMLSelectElement>, Native<'select'> {
  options: readonly { value: string; label: string; disabled?: boolean }[];
  /** Shown while nothing is chosen. */
  placeholder?: string;
}

/** The system's own list: the best one there is on a phone, and silent about its bundle size. */
export function SelectField({ hint, onChange, options, placeholder, ...rest }: SelectFieldProps) {
  return (
    <NativeSelect {...rest} description={hint} onChange={(event) => onChange?.(event.currentTarget.value, event)}>
      {placeholder !== undefined && (
        <option value="" disabled hidden>
          {placeholder}
        </option>
      )}
      {options.map(({ value, label, disabled }) => (
        <option key={value} value={value} disabled={disabled}>
          {label}
        </option>
      ))}
    </NativeSelect>
  );
}

export interface ToggleProps extends Omit<Native<'input'>, 'type'> {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  onChange?: (checked: boolean, event: ChangeEvent<HTMLInputElement>) => void;
}

export function CheckField({ hint, onChange, ...rest }: ToggleProps) {
  return (
    <Checkbox
      {...rest}
      description={hint}
      size="sm"
      onChange={(event) => onChange?.(event.currentTarget.checked, event)}
    />
  );
}

export function SwitchField({ hint, onChange, ...rest }: ToggleProps) {
  return (
    <Switch
      {...rest}
      description={hint}
      size="sm"
      withThumbIndicator={false}
      onChange={(event) => onChange?.(event.currentTarget.checked, event)}
    />
  );
}
