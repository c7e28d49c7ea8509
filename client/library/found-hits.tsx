import { Link } from 'react-router-dom';

import type { MeetingHit } from '#shared/meetings/meeting.ts';

import { clockTime } from '../ui/times.ts';
import { useTranslation } from '../use-translation.ts';
import { pathOf } from './facts.tsx';
import styles from './found-hits.module.css';
import { placeOf } from './place-of-hit.ts';

/** Places of a recording where the words of a search are; each leads there. */
export function FoundHits({ meeting }: { meeting: MeetingHit }) {
  const { t } = useTranslation('library');
  const { hits = [], more = 0 } = meeting.found ?? {};
  if (hits.length === 0) return null;
  return (
    <ul className={styles.hits} aria-label={t('hits.label')}>
      {hits.map((hit, nth) => (
        <li key={nth}>
          <Link className={styles.hit} to={placeOf(meeting.id, pathOf(meeting), hit)}>
            <span className={styles.where}>
              {hit.kind === 'words' ? hit.start !== null && clockTime(hit.start * 1000) : t(`hits.${hit.kind}`)}
            </span>
            <span className={styles.words}>
              {hit.before}
              <mark>{hit.words}</mark>
              {hit.after}
            </span>
          </Link>
        </li>
      ))}
      {more > 0 && <li className={styles.more}>{t('hits.more', { count: more })}</li>}
    </ul>
  );
}
