import { keepTimes, moveTimes, readDrift, type Drift } from '#shared/meetings/drift.ts';

import { useNotify } from '../../store.ts';
import { Button } from '../../ui/button.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useMarking, useMeeting } from '../open/meeting-context.ts';
import { useShared } from '../base/use-shared.ts';
import styles from './drift-line.module.css';

const origin = 'drift';
const undoFor = 15_000;

/** Offers to correct the times of an imported transcript that do not match the sound. */
export function DriftLine() {
  const { t, i18n } = useTranslation('player');
  const { live } = useMeeting();
  const marking = useMarking();
  const notify = useNotify();
  const about = live.doc.getMap('about');
  const drift = useShared(about, () => readDrift(live.doc));
  const numbers = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
  const seconds = (ms: number) => numbers.format(ms / 1000);
  const move = (found: Drift) => {
    const takeBack = moveTimes(live.doc, found, origin);
    notify({
      type: 'info',
      message: [t('drift.moved'), ' ', { kind: 'clickable', text: t('drift.undo'), onClick: takeBack }],
      duration: undoFor,
    });
  };
  return (
    <div role="status">
      {drift && marking && (
        <div className={styles.line}>
          <p>
            {drift.start === drift.end
              ? t(drift.start > 0 ? 'drift.late' : 'drift.early', { seconds: seconds(Math.abs(drift.start)).slice(1) })
              : t('drift.grows', { start: seconds(drift.start), end: seconds(drift.end) })}
          </p>
          <Button onClick={() => move(drift)}>
            {drift.start === drift.end ? t('drift.move', { seconds: seconds(drift.start) }) : t('drift.stretch')}
          </Button>
          <Button look="quiet" onClick={() => keepTimes(live.doc, origin)}>
            {t('drift.keep')}
          </Button>
        </div>
      )}
    </div>
  );
}
