import styles from './sets.module.css';

/** Line under the words of a type in a transcript. */
export const SetMark = ({ color }: { color: number }) => (
  <span className={styles.mark} data-look={color + 1} aria-hidden="true" />
);
