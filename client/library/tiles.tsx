import { Link } from 'react-router-dom';

import { ProgressLine } from '../progress/progress-line.tsx';
import { RelativeDate } from '../ui/dates.tsx';
import { useTranslation } from '../use-translation.ts';
import cardLink from './card-link.module.css';
import {
  Choose,
  Cost,
  length,
  Lies,
  Owner,
  pathOf,
  ReviewMark,
  Tags,
  useCarry,
  Why,
  type ListProps,
} from './facts.tsx';
import { FoundHits } from './found-hits.tsx';
import { Glance } from './glance.tsx';
import styles from './library.module.css';
import type { Going } from './place.ts';
import { RowMenu } from './row-menu.tsx';

export function Tiles({ hits, place, go, selection }: ListProps & Going) {
  const { t } = useTranslation('library');
  const carry = useCarry(hits, selection);
  return (
    <ul className={styles.tiles}>
      {hits.map((meeting) => (
        <li key={meeting.id} className={styles.tile} data-tour="row" {...carry(meeting)}>
          <div className={styles.head}>
            <Choose meeting={meeting} selection={selection} />
            <h2 className={styles.title}>
              <Link className={cardLink.link} to={pathOf(meeting)}>
                {meeting.title || t('untitled')}
              </Link>
            </h2>
            <div className={styles.menu}>
              <RowMenu meeting={meeting} />
            </div>
          </div>
          <Glance meeting={meeting} />
          <Lies meeting={meeting} place={place} />
          <ProgressLine progress={meeting.progress} />
          <ReviewMark meeting={meeting} />
          <Tags meeting={meeting} place={place} go={go} />
          <Why meeting={meeting} />
          <FoundHits meeting={meeting} />
          <p className={styles.facts}>
            <Owner meeting={meeting} />
            <span>
              {t('fact', { name: t('column.date') })}
              <RelativeDate at={new Date(meeting.date)} />
            </span>
            <span>
              {t('fact', { name: t('column.updatedAt') })}
              <RelativeDate at={new Date(meeting.updatedAt)} />
            </span>
          </p>
          <p className={styles.facts}>
            <span>{length(meeting)}</span>
            <span>{t('words', { count: meeting.words })}</span>
            <Cost meeting={meeting} labelled />
          </p>
        </li>
      ))}
    </ul>
  );
}
