import { typeOf } from '#shared/meetings/outcome-types.ts';

import styles from './outcomes-pane.module.css';

/** The line a type is drawn with in the text: its colour, and its stroke. */
export function TypeMark({ type }: { type: string }) {
  return <span className={styles.mark} data-look={((typeOf(type)?.color ?? 0) % 5) + 1} aria-hidden="true" />;
}
