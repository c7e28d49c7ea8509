import { Link } from 'react-router-dom';

import type { MeetingOrder } from '#shared/library.ts';
import type { MeetingHit } from '#shared/meetings/meeting.ts';

import { ProgressLine } from '../progress/progress-line.tsx';
import { RelativeDate } from '../ui/dates.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { usePhone } from '../ui/use-phone.ts';
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
import styles from './library.module.css';
import type { Going } from './place.ts';
import { RowMenu } from './row-menu.tsx';

/** The list as a table, on a phone as a list of two lines each. */
export function Rows(props: ListProps & Going) {
  return usePhone() ? <PhoneRows {...props} /> : <WideRows {...props} />;
}

function WideRows({ hits, place, go, selection }: ListProps & Going) {
  const { t, i18n } = useTranslation('library');
  const carry = useCarry(hits, selection);
  const numbers = new Intl.NumberFormat(i18n.language);
  const columns: Column<MeetingHit>[] = [
    {
      id: 'title',
      header: t('column.title'),
      sort: true,
      cell: (meeting) => (
        <>
          <span className={styles.name} title={meeting.title || undefined}>
            {meeting.title || t('untitled')}
          </span>
          <Lies meeting={meeting} place={place} />
          <ProgressLine progress={meeting.progress} />
        </>
      ),
      below: (meeting) => (
        <>
          <ReviewMark meeting={meeting} />
          <Tags meeting={meeting} place={place} go={go} />
          <Why meeting={meeting} />
          <FoundHits meeting={meeting} />
        </>
      ),
    },
    { id: 'owner', header: t('column.owner'), sort: true, cell: (meeting) => <Owner meeting={meeting} /> },
    {
      id: 'updatedAt',
      header: t('column.updatedAt'),
      sort: true,
      cell: ({ updatedAt }) => <RelativeDate at={new Date(updatedAt)} />,
    },
    {
      id: 'date',
      header: t('column.date'),
      sort: true,
      cell: ({ date }) => <RelativeDate at={new Date(date)} />,
    },
    { id: 'duration', header: t('column.duration'), sort: true, numeric: true, cell: (meeting) => length(meeting) },
    {
      id: 'words',
      header: t('column.words'),
      sort: true,
      numeric: true,
      cell: ({ words }) => numbers.format(words),
    },
    ...(hits.some(({ cost }) => cost !== null)
      ? [
          {
            id: 'cost',
            header: t('column.cost'),
            numeric: true,
            cell: (meeting: MeetingHit) => <Cost meeting={meeting} />,
          },
        ]
      : []),
    {
      id: 'actions',
      header: t('column.actions'),
      numeric: true,
      cell: (meeting) => (
        <div className={styles.menu}>
          <RowMenu meeting={meeting} />
        </div>
      ),
    },
  ];
  return (
    <Table
      caption={t('list')}
      columns={columns}
      rows={hits}
      rowKey={({ id }) => id}
      oneLine
      rowLink={pathOf}
      lead={{ header: t('many.bar'), cell: (meeting) => <Choose meeting={meeting} selection={selection} /> }}
      rowProps={carry}
      empty={t('nothingTitle')}
      order={place.order}
      onOrder={({ column, descending }) => go({ order: { column: column as MeetingOrder, descending } })}
    />
  );
}

function PhoneRows({ hits, place, go, selection }: ListProps & Going) {
  const { t } = useTranslation('library');
  return (
    <ul className={styles.rows} aria-label={t('list')}>
      {hits.map((meeting) => (
        <li
          key={meeting.id}
          className={styles.row}
          data-tour="row"
          data-found={!!meeting.found?.hits?.length || undefined}
        >
          <Choose meeting={meeting} selection={selection} />
          <div className={styles.words}>
            <Link className={cardLink.link} to={pathOf(meeting)}>
              {meeting.title || t('untitled')}
            </Link>
            <Lies meeting={meeting} place={place} />
            <ProgressLine progress={meeting.progress} />
            <ReviewMark meeting={meeting} />
            <Tags meeting={meeting} place={place} go={go} />
            <Why meeting={meeting} />
            <FoundHits meeting={meeting} />
            <p className={styles.line}>
              <Owner meeting={meeting} />
              <span>{length(meeting)}</span>
              <RelativeDate at={new Date(meeting.updatedAt)} />
              <Cost meeting={meeting} labelled />
            </p>
          </div>
          <RowMenu meeting={meeting} />
        </li>
      ))}
    </ul>
  );
}
