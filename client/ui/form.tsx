import { IconAlertCircle } from '@tabler/icons-react';
import { useEffect, useRef, type SubmitEvent, type ReactNode } from 'react';

import { useTranslation } from '../use-translation.ts';
import styles from './form.module.css';

interface FormProps {
  /** Errors of the form and its fields: listed above it and focused when they appear. */
  errors?: readonly string[];
  onSubmit: () => void;
  children: ReactNode;
  /** Accessible name of the form, for people who do not see the heading above it. */
  label?: string;
}

export function Form({ errors = [], onSubmit, children, label }: FormProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className={styles.form} noValidate onSubmit={submit} aria-label={label}>
      <FormErrors errors={errors} />
      {children}
    </form>
  );
}

export function FormErrors({ errors }: { errors: readonly string[] }) {
  const { t } = useTranslation('shell');
  const box = useRef<HTMLDivElement>(null);
  // Each new list takes the focus, even with the same words as before.
  useEffect(() => {
    if (errors.length > 0) box.current?.focus();
  }, [errors]);
  if (errors.length === 0) return null;
  return (
    <div ref={box} className={styles.errors} role="alert" tabIndex={-1}>
      <IconAlertCircle className={styles.icon} size={20} stroke={1.5} aria-hidden="true" />
      <div>
        {errors.length > 1 && <p className={styles.count}>{t('form.errors', { count: errors.length })}</p>}
        <ul className={styles.list}>
          {errors.map((error) => (
            <li key={error}>{error}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}

interface ActionsProps {
  children: ReactNode;
  /** Kept in sight at the bottom of a dialog that is taller than the screen. */
  stays?: boolean;
}

/** Row of buttons below a form or in a dialog; the main one last. */
export function Actions({ children, stays = false }: ActionsProps) {
  return (
    <div className={styles.actions} data-stays={stays || undefined}>
      {children}
    </div>
  );
}
