import type { ReactNode } from 'react';

import lists from '../reviews.module.css';
import styles from './agreement.module.css';

interface FigureProps {
  name: string;
  figure: string;
  /** Lines that explain it; those that are no text are left out. */
  children?: ReactNode[] | ReactNode;
}

/** A figure with its name, in a list of them. */
export function Figure({ name, figure, children }: FigureProps) {
  const lines = (Array.isArray(children) ? children : [children]).filter((line) => typeof line === 'string');
  return (
    <div className={styles.figure}>
      <dt>{name}</dt>
      <dd className={styles.number}>{figure}</dd>
      {lines.map((line) => (
        <dd key={line} className={lists.hint}>
          {line}
        </dd>
      ))}
    </div>
  );
}
