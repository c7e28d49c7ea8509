import Results from '../people/results.tsx';
import styles from '../reviews.module.css';
import { useOpened } from './opened.ts';

/** Grades and passages of each person side by side. */
export default function PassagesPane() {
  const { review } = useOpened();
  return (
    <div className={styles.pane}>
      <Results review={review} />
    </div>
  );
}
