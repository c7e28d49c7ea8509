import type { ReactNode } from 'react';

import { Hint } from './hint.tsx';
import styles from './icon-button.module.css';
import type { Native } from './native.ts';

interface IconButtonProps extends Omit<Native<'button'>, 'type'> {
  /** Action of the button: accessible name and tooltip. */
  label: string;
  icon: ReactNode;
}

export function IconButton({ label, icon, ...rest }: IconButtonProps) {
  return (
    <Hint text={label} describes={false}>
      <button {...rest} type="button" className={styles.button} aria-label={label}>
        {icon}
      </button>
    </Hint>
  );
}
