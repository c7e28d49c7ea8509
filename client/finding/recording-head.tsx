import { Link } from 'react-router-dom';
import { useTranslation } from 'react-i18next';

import type { FindsAnswer } from '#shared/finds.ts';

import { pathOf } from '../library/facts.tsx';
import { useSession } from '../session.ts';
import { RelativeDate } from '../ui/dates.tsx';
import styles from './finds.module.css';

export type FoundRecording = FindsAnswer['recordings'][number];

/** Title, owner and date of a recording above its places. */
export function RecordingHead({ recording }: { recording: FoundRecording }) {
  const { t } = useTranslation('library');
  const me = useSession().data?.principal.id;
  const { id, title, owner, date } = recording;
  return (
    <div className={styles.head}>
      <h2 id={`recording-${id}`}>
        <Link to={pathOf(recording)}>{title || t('untitled')}</Link>
      </h2>
      <p className={styles.facts}>
        {owner.id === me ? t('you') : owner.name} · <RelativeDate at={new Date(date)} />
      </p>
    </div>
  );
}
