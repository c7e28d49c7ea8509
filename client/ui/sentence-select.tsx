import { IconChevronDown } from '@tabler/icons-react';

import styles from './sentence-select.module.css';

interface SentenceSelectProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
  disabled?: boolean;
  /** Beside a field instead of in a sentence. */
  framed?: boolean;
}

/** Choice that ends a sentence about somebody: 'can comment', 'must assess'. */
export function SentenceSelect<Value extends string>({
  label,
  value,
  options,
  onChange,
  disabled = false,
  framed = false,
}: SentenceSelectProps<Value>) {
  return (
    <span className={styles.select} data-select data-framed={framed || undefined}>
      <select
        aria-label={label}
        value={value}
        disabled={disabled}
        onChange={({ target }) => {
          const chosen = options.find((one) => one.value === target.value);
          if (chosen) onChange(chosen.value);
        }}
      >
        {options.map((one) => (
          <option key={one.value} value={one.value}>
            {one.label}
          </option>
        ))}
      </select>
      <IconChevronDown size={16} stroke={1.5} aria-hidden="true" />
    </span>
  );
}
