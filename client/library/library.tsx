import {
  IconLayoutGrid,
  IconMicrophone,
  IconSearch,
  IconSortAscending,
  IconSortDescending,
  IconTable,
} from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

import { meetingOrders, pageSizes, type MeetingOrder } from '#shared/library.ts';
import type { MeetingHit, MeetingsAnswer } from '#shared/meetings/meeting.ts';

import { Failure } from '../errors/failure.tsx';
import { ProgressLine } from '../intake/progress-line.tsx';
import { clockTime } from '../meetings/player/times.ts';
import { usePreferences } from '../preferences.ts';
import { useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { RelativeDate } from '../ui/dates.tsx';
import { Empty } from '../ui/empty.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { usePhone } from '../ui/use-phone.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import styles from './library.module.css';
import { useMeetings, type ViewMode } from './meetings-query.ts';
import { usePlace, type Place } from './place.ts';
import { RowMenu } from './row-menu.tsx';

/** After this pause what was typed is searched for. */
const searchAfter = 300;

const pathOf = ({ id }: MeetingHit): string => `/meeting/${encodeURIComponent(id)}`;

/** Everything one has, and everything others share with one by name. */
export function Library() {
  const { t } = useTranslation(['library', 'shell']);
  const [place, go] = usePlace();
  const [{ searchResultsViewMode: mode = 'table' }, prefer] = usePreferences();
  const { data, error, refetch, isPlaceholderData } = useMeetings(place, mode);

  const pages = data ? Math.ceil(data.total / pageSizes[mode]) : 0;
  const { page, query } = place;
  const backTo = useEffectEvent((last: number) => go({ page: last }, true));
  // What was on the last page may have been deleted, or the address is an old one.
  useEffect(() => {
    if (!isPlaceholderData && pages > 0 && page >= pages) backTo(pages - 1);
  }, [isPlaceholderData, pages, page]);

  if (!data) {
    return error ? (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('failed')}
      </Failure>
    ) : (
      <ListBones />
    );
  }
  if (data.total === 0 && query === '') {
    return (
      <Empty title={t('shell:home.emptyTitle')} icon={<IconMicrophone size={32} stroke={1.5} />}>
        {t('shell:home.emptyText')}
      </Empty>
    );
  }
  return (
    <section className={styles.library} aria-label={t('list')} aria-busy={isPlaceholderData || undefined}>
      <Tools
        place={place}
        go={go}
        mode={mode}
        onMode={(next) => {
          prefer({ searchResultsViewMode: next });
          go({ page: 0 }, true);
        }}
      />
      <p className={styles.found} role="status">
        {t('found', { count: data.total })}
      </p>
      {data.total === 0 ? (
        <Empty
          title={t('nothingTitle')}
          icon={<IconSearch size={32} stroke={1.5} />}
          action={<Button onClick={() => go({ query: '' })}>{t('showAll')}</Button>}
        >
          {t('nothingText', { query })}
        </Empty>
      ) : mode === 'tile' ? (
        <Tiles {...data} />
      ) : (
        <Rows {...data} place={place} go={go} />
      )}
      <Pagination
        page={page + 1}
        total={pages}
        onChange={(next) => {
          go({ page: next - 1 });
          window.scrollTo({ top: 0 });
        }}
      />
    </section>
  );
}

interface Going {
  place: Place;
  go: (change: Partial<Place>, quietly?: boolean) => void;
}

function Tools({ place, go, mode, onMode }: Going & { mode: ViewMode; onMode: (mode: ViewMode) => void }) {
  const { t } = useTranslation('library');
  const phone = usePhone();
  const { order } = place;
  const modes = [
    { mode: 'table', label: t('asTable'), Icon: IconTable },
    { mode: 'tile', label: t('asTiles'), Icon: IconLayoutGrid },
  ] as const;
  const turn = (change: Partial<Place['order']>) => go({ order: { ...order, ...change } });
  const Direction = order.descending ? IconSortDescending : IconSortAscending;
  return (
    <div className={styles.tools}>
      <div className={styles.search}>
        <Search query={place.query} onSearch={(query) => go({ query }, true)} />
      </div>
      {/* A table wide enough to have headings is sorted by them. */}
      {(phone || mode === 'tile') && (
        <div className={styles.sort}>
          <SelectField
            label={t('sortBy')}
            value={order.column}
            options={meetingOrders.map((value) => ({ value, label: t(`column.${value}`) }))}
            onChange={(column) => turn({ column: column as MeetingOrder })}
          />
          <IconButton
            label={order.descending ? t('descending') : t('ascending')}
            icon={<Direction size={18} stroke={1.5} aria-hidden="true" />}
            onClick={() => turn({ descending: !order.descending })}
          />
        </div>
      )}
      <div className={styles.modes} role="group" aria-label={t('view')}>
        {modes.map(({ mode: one, label, Icon }) => (
          <IconButton
            key={one}
            label={label}
            icon={<Icon size={18} stroke={1.5} aria-hidden="true" />}
            aria-pressed={one === mode}
            onClick={() => one !== mode && onMode(one)}
          />
        ))}
      </div>
    </div>
  );
}

function Search({ query, onSearch }: { query: string; onSearch: (query: string) => void }) {
  const { t } = useTranslation('library');
  const [typed, setTyped] = useState(query);
  const [asked, setAsked] = useState(query);
  const [shown, setShown] = useState(query);
  // What is searched for may change without this field (the way back); what it asked for itself must not undo later typing.
  if (query !== shown) {
    setShown(query);
    if (query !== asked) {
      setTyped(query);
      setAsked(query);
    }
  }
  const search = useEffectEvent(() => {
    setAsked(typed.trim());
    onSearch(typed.trim());
  });
  useEffect(() => {
    if (typed.trim() === query) return;
    const timer = setTimeout(() => search(), searchAfter);
    return () => clearTimeout(timer);
  }, [typed, query]);
  return <TextField type="search" label={t('search')} value={typed} onChange={setTyped} maxLength={200} />;
}

function Rows({ hits, place, go }: MeetingsAnswer & Going) {
  const { t, i18n } = useTranslation('library');
  const numbers = new Intl.NumberFormat(i18n.language);
  const columns: Column<MeetingHit>[] = [
    {
      id: 'title',
      header: t('column.title'),
      sort: true,
      cell: ({ title, progress }) => (
        <>
          {title || t('untitled')}
          <ProgressLine progress={progress} />
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
    { id: 'duration', header: t('column.duration'), sort: true, numeric: true, cell: (meeting) => length(meeting) },
    {
      id: 'words',
      header: t('column.words'),
      sort: true,
      numeric: true,
      cell: ({ words }) => numbers.format(words),
    },
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
      rowLink={pathOf}
      empty={t('nothingTitle')}
      order={place.order}
      onOrder={({ column, descending }) => go({ order: { column: column as MeetingOrder, descending } })}
    />
  );
}

function Tiles({ hits }: MeetingsAnswer) {
  const { t } = useTranslation('library');
  return (
    <ul className={styles.tiles}>
      {hits.map((meeting) => (
        <li key={meeting.id} className={styles.tile}>
          <div className={styles.head}>
            <h2 className={styles.title}>
              <Link to={pathOf(meeting)}>{meeting.title || t('untitled')}</Link>
            </h2>
            <div className={styles.menu}>
              <RowMenu meeting={meeting} />
            </div>
          </div>
          <ProgressLine progress={meeting.progress} />
          <p className={styles.facts}>
            <Owner meeting={meeting} />
            <RelativeDate at={new Date(meeting.updatedAt)} />
          </p>
          <p className={styles.facts}>
            <span>{length(meeting)}</span>
            <span>{t('words', { count: meeting.words })}</span>
          </p>
        </li>
      ))}
    </ul>
  );
}

function Owner({ meeting: { owner } }: { meeting: MeetingHit }) {
  const { t } = useTranslation('library');
  const mine = useSession().data?.principal.id === owner.id;
  return <span>{mine ? t('you') : owner.name}</span>;
}

const length = ({ duration }: MeetingHit): string => (duration === null ? '–' : clockTime(duration * 1000));

function ListBones() {
  return (
    <Waiting>
      <div className={styles.bones}>
        <Bone width="16rem" height="2.25rem" />
        {[70, 55, 80, 60, 75].map((width) => (
          <Bone key={width} width={`${width}%`} height="1.25rem" />
        ))}
      </div>
    </Waiting>
  );
}
