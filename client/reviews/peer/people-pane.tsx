import { ReviewCard } from '../people/review-card.tsx';
import styles from '../reviews.module.css';
import { useOpened } from './opened.ts';

/** People of the open review, how far they are, and what can be done with it. */
export default function PeoplePane() {
  const { review } = useOpened();
  return (
    <div className={styles.pane}>
      <ReviewCard review={review} here />
    </div>
  );
}
