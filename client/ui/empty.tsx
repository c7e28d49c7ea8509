import type { ReactNode } from 'react';

import styles from './empty.module.css';

interface EmptyProps {
  /** Omitted where the heading of the page says it. */
  title?: string;
  /** Description of what belongs here. */
  children: ReactNode;
  icon?: ReactNode;
  /** Action that fills the list; omitted without permission. */
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
      {title !== undefined && <h2>{title}</h2>}
      <p className={styles.text}>{children}</p>
      {action !== undefined && <div className={styles.action}>{action}</div>}
    </section>
  );
}
