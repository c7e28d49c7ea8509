import { useKnownSets } from '../../../outcome-models/known-sets.ts';
import styles from './outcomes-pane.module.css';

/** Sample of the line a type has in the transcript: its colour and stroke. */
export function TypeMark({ type }: { type: string }) {
  const { lookOf } = useKnownSets();
  return <span className={styles.mark} data-look={lookOf(type)} aria-hidden="true" />;
}
