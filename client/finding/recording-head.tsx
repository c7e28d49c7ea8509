import { Link } from 'react-router-dom';

import type { FindsAnswer } from '#shared/finds.ts';

import { meetingPath, peerPath } from '../paths.ts';
import { useSession } from '../session.ts';
import { RelativeDate } from '../ui/dates.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './finds.module.css';

export type FoundRecording = FindsAnswer['recordings'][number];

/** Page of a recording: that of the review, for who has it by a review alone. */
export const pathOfFound = ({ id, review }: FoundRecording): string =>
  review ? peerPath(id, review.id) : meetingPath(id);

/** Title, owner and date of a recording above its places. */
export function RecordingHead({ recording }: { recording: FoundRecording }) {
  const { t } = useTranslation('library');
  const me = useSession().data?.principal.id;
  const { id, title, owner, date } = recording;
  return (
    <div className={styles.head}>
      <h2 id={`recording-${id}`}>
        <Link to={pathOfFound(recording)}>{title || t('untitled')}</Link>
      </h2>
      <p className={styles.facts}>
        {owner.id === me ? t('you') : owner.name} · <RelativeDate at={new Date(date)} />
      </p>
    </div>
  );
}
