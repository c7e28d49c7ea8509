import type { ReactNode } from 'react';

import styles from './empty.module.css';

interface EmptyProps {
  title: string;
  /** What belongs here. */
  children: ReactNode;
  icon?: ReactNode;
  /** The one thing that fills it; left out where nobody can. */
  action?: ReactNode;
}

export function Empty({ title, children, icon, action }: EmptyProps) {
  return (
    <section className={styles.empty}>
      {icon !== undefined && (
        <div className={styles.icon} aria-hidden="true">
          {icon}
        </div>
      )}
      <h2>{title}</h2>
      <p className={styles.text}>{children}</p>
      {action !== undefined && <div className={styles.action}>{action}</div>}
    </section>
  );
}
