import { useMeeting } from '../meetings/open/meeting-context.ts';
import { useGoTo } from '../meetings/open/view.ts';
import { clockTime } from '../ui/times.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './reviews.module.css';

/** Time of a passage in seconds; a press shows the passage and plays it. */
export function PlayTime({ at }: { at: number }) {
  const { t } = useTranslation('leading');
  const goTo = useGoTo();
  const { player } = useMeeting();
  const from = at * 1000;
  return (
    <button
      type="button"
      className={styles.time}
      aria-label={t('results.play', { time: clockTime(from) })}
      onClick={() => {
        goTo(from);
        player.play(from);
      }}
    >
      {clockTime(from)}
    </button>
  );
}
