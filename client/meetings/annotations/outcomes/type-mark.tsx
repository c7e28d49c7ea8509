import { typeOf } from '#shared/meetings/outcome-types.ts';

import styles from './outcomes-pane.module.css';

/** Sample of the line a type has in the transcript: its colour and stroke. */
export function TypeMark({ type }: { type: string }) {
  return <span className={styles.mark} data-look={((typeOf(type)?.color ?? 0) % 5) + 1} aria-hidden="true" />;
}
