import styles from './state-mark.module.css';

type StateLook = 'new' | 'in-progress' | 'complete';

/** How far something is: a colour with a word. */
export function StateMark({ look, children }: { look: StateLook; children: string }) {
  return (
    <span className={styles.mark} data-look={look}>
      {children}
    </span>
  );
}
