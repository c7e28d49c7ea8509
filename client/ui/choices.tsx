import { useId, type ReactNode } from 'react';

import styles from './choices.module.css';

interface Choice {
  value: string;
  label: string;
  hint?: string;
}

interface ChoicesProps {
  /** Question that the choices answer. */
  label: ReactNode;
  choices: readonly Choice[];
  value: string | null;
  onChange: (value: string) => void;
}

/** Radio buttons with an explanation each. */
export function Choices({ label, choices, value, onChange }: ChoicesProps) {
  const name = useId();
  return (
    <fieldset className={styles.choices}>
      <legend className={styles.legend}>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={styles.choice}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => onChange(choice.value)}
          />
          <span>
            <span className={styles.name}>{choice.label}</span>
            {choice.hint !== undefined && <span className={styles.hint}>{choice.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
