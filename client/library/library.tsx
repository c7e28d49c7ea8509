import {
  IconFolder,
  IconFolderOff,
  IconFolderPlus,
  IconLayoutGrid,
  IconSearch,
  IconSortAscending,
  IconSortDescending,
  IconTable,
  IconTrash,
} from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

import { folderNeeds, meetingOrders, pageSizes, rootPath, type MeetingOrder } from '#shared/library.ts';
import type { MeetingHit, MeetingsAnswer } from '#shared/meetings/meeting.ts';

import { ApiError } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { ProgressLine } from '../progress/progress-line.tsx';
import { clockTime } from '../ui/times.ts';
import { paths } from '../paths.ts';
import { usePreferences } from '../preferences.ts';
import { useSession } from '../session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { RelativeDate } from '../ui/dates.tsx';
import { Empty } from '../ui/empty.tsx';
import { SelectField, TextField, Tick } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { usePhone } from '../ui/use-phone.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { BulkBar } from './bulk-bar.tsx';
import { draggable } from './dragging.ts';
import { NewFolderDialog } from './folder-dialogs.tsx';
import { lieAt, placeName, useHere, useLibraryNews } from './folders-query.ts';
import { Folders } from './folders.tsx';
import cardLink from './card-link.module.css';
import styles from './library.module.css';
import { useMeetings } from './meetings-query.ts';
import { sameSpot, spotOf, usePlace, type Place, type ViewMode } from './place.ts';
import { RowMenu } from './row-menu.tsx';
import { useSelection, type Selection } from './selection.ts';

/** Milliseconds without typing before a search. */
const searchAfter = 300;

const pathOf = ({ id }: MeetingHit): string => `/meeting/${encodeURIComponent(id)}`;

/** The open folder; at the top, also recordings that others share with the person. */
export function Library({ first }: { /** Shown in a library without any recording. */ first: ReactNode }) {
  const { t } = useTranslation(['library', 'shell']);
  const [place, go] = usePlace();
  const [{ searchResultsViewMode = 'table' }, prefer] = usePreferences();
  const mode = place.view ?? searchResultsViewMode;
  useLibraryNews();
  const { data, error, refetch, isPlaceholderData } = useMeetings(place, mode);
  const hits = data?.hits ?? [];
  const choosable = hits.filter(({ permissions }) => permissions.includes('own')).map(({ id }) => id);
  const selection = useSelection(choosable, [place.sid, place.folder, place.query, place.page, mode].join('\n'));

  const pages = data ? Math.ceil(data.total / pageSizes[mode]) : 0;
  const { page, query, folder, sid } = place;
  const { here } = useHere(place);
  const mayAdd = sid === null || here?.permissions.includes(folderNeeds.add) === true;
  const backTo = useEffectEvent((last: number) => go({ page: last }, true));
  // The last page may be empty after a deletion, or the address may be old.
  useEffect(() => {
    if (!isPlaceholderData && pages > 0 && page >= pages) backTo(pages - 1);
  }, [isPlaceholderData, pages, page]);

  const lost = error instanceof ApiError && (error.code === 'NO_ACCESS' || error.code === 'INVALID');
  // Access to the shared folder may end while it is open.
  if (lost && (folder !== rootPath || sid !== null))
    return (
      <Empty
        title={t('folder.goneTitle')}
        icon={<IconFolderOff size={32} stroke={1.5} />}
        action={<ButtonLink to={paths.home}>{t('folder.toLibrary')}</ButtonLink>}
      >
        {t('folder.goneText')}
      </Empty>
    );
  if (!data) {
    if (!error) return <ListBones />;
    return (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('failed')}
      </Failure>
    );
  }
  const all = choosable.length > 0 && choosable.every((id) => selection.ids.has(id));
  const chosen = hits.filter(({ id }) => selection.ids.has(id));
  const nothing = data.total === 0 && data.folders.length === 0;
  return (
    <section className={styles.library} aria-label={t('list')} aria-busy={isPlaceholderData || undefined}>
      <Tools
        place={place}
        go={go}
        mode={mode}
        bare={nothing && query === ''}
        mayAdd={mayAdd}
        onMode={(next) => {
          prefer({ searchResultsViewMode: next });
          go({ page: 0, view: next }, true);
        }}
      />
      {/* Folders come before recordings, so on the first page. */}
      {page === 0 && <Folders folders={data.folders} place={place} />}
      {!(nothing && query === '') && (
        <div className={styles.found}>
          {choosable.length > 0 && (
            <span className={styles.all}>
              <Tick
                aria-label={t('many.selectAll')}
                checked={all}
                onChange={(event) => selection.setAll(event.currentTarget.checked)}
              />
            </span>
          )}
          <p role="status">{t('found', { count: data.total })}</p>
        </div>
      )}
      {nothing ? (
        <Nothing place={place} mayAdd={mayAdd} first={first} onAll={() => go({ query: '' })} />
      ) : mode === 'tile' ? (
        <Tiles hits={hits} place={place} selection={selection} />
      ) : (
        data.total > 0 && <Rows hits={hits} place={place} go={go} selection={selection} />
      )}
      <Pagination
        page={page + 1}
        total={pages}
        onChange={(next) => {
          go({ page: next - 1 });
          window.scrollTo({ top: 0 });
        }}
      />
      {folder === rootPath && sid === null && (
        <p className={styles.deleted}>
          <Link to={paths.deleted}>
            <IconTrash size={18} stroke={1.5} aria-hidden="true" /> {t('trash.link')}
          </Link>
        </p>
      )}
      <BulkBar chosen={chosen} onClear={() => selection.setAll(false)} />
    </section>
  );
}

function Nothing({
  place: { query, folder, sid },
  mayAdd,
  first,
  onAll,
}: {
  place: Place;
  mayAdd: boolean;
  first: ReactNode;
  onAll: () => void;
}) {
  const { t } = useTranslation(['library', 'shell']);
  if (query !== '')
    return (
      <Empty
        title={t('nothingTitle')}
        icon={<IconSearch size={32} stroke={1.5} />}
        action={<Button onClick={onAll}>{t('showAll')}</Button>}
      >
        {t('nothingText', { query })}
      </Empty>
    );
  return folder === rootPath && sid === null ? (
    first
  ) : (
    <Empty title={t('folder.emptyTitle')} icon={<IconFolder size={32} stroke={1.5} />}>
      {mayAdd ? t('folder.emptyText') : t('folder.emptyToReaders')}
    </Empty>
  );
}

interface Going {
  place: Place;
  go: (change: Partial<Place>, quietly?: boolean) => void;
}

interface ToolsProps extends Going {
  mode: ViewMode;
  onMode: (mode: ViewMode) => void;
  /** Nothing to search, to sort or to show in another layout. */
  bare: boolean;
  mayAdd: boolean;
}

function Tools({ place, go, mode, onMode, bare, mayAdd }: ToolsProps) {
  const { t } = useTranslation('library');
  const phone = usePhone();
  const [making, setMaking] = useState(false);
  const { order } = place;
  const modes = [
    { mode: 'table', label: t('asTable'), Icon: IconTable },
    { mode: 'tile', label: t('asTiles'), Icon: IconLayoutGrid },
  ] as const;
  const turn = (change: Partial<Place['order']>) => go({ order: { ...order, ...change } });
  const Direction = order.descending ? IconSortDescending : IconSortAscending;
  const maker = mayAdd && (
    <>
      <Button icon={<IconFolderPlus size={18} stroke={1.5} aria-hidden="true" />} onClick={() => setMaking(true)}>
        {t('folder.add')}
      </Button>
      <NewFolderDialog within={spotOf(place)} opened={making} onClose={() => setMaking(false)} />
    </>
  );
  if (bare) return <div className={styles.tools}>{maker}</div>;
  return (
    <div className={styles.tools}>
      <div className={styles.search}>
        <Search query={place.query} onSearch={(query) => go({ query }, true)} />
      </div>
      {/* A wide table is sorted by its headings instead. */}
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
      {maker}
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
  // The search may change from outside (Back); a search of this field itself must not undo later typing.
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

interface ListProps extends Pick<MeetingsAnswer, 'hits'> {
  place: Place;
  selection: Selection;
}

function Rows({ hits, place, go, selection }: ListProps & Going) {
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
          {meeting.title || t('untitled')}
          <Lies meeting={meeting} place={place} />
          <ProgressLine progress={meeting.progress} />
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
      lead={{ header: t('many.bar'), cell: (meeting) => <Choose meeting={meeting} selection={selection} /> }}
      rowProps={carry}
      empty={t('nothingTitle')}
      order={place.order}
      onOrder={({ column, descending }) => go({ order: { column: column as MeetingOrder, descending } })}
    />
  );
}

function Tiles({ hits, place, selection }: ListProps) {
  const { t } = useTranslation('library');
  const carry = useCarry(hits, selection);
  return (
    <ul className={styles.tiles}>
      {hits.map((meeting) => (
        <li key={meeting.id} className={styles.tile} {...carry(meeting)}>
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
          <Lies meeting={meeting} place={place} />
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

/** The folder of a search result below the open folder. */
function Lies({ meeting, place }: { meeting: MeetingHit; place: Place }) {
  const { t } = useTranslation(['library', 'shell']);
  const { folder, sharedFolder } = meeting;
  if (place.query === '' || folder === null || sameSpot(lieAt(meeting), spotOf(place))) return null;
  const top = sharedFolder?.name;
  return (
    <span className={styles.lies}>
      {t('library:inFolder', { folder: placeName(folder, top ?? t('shell:home.title'), top) })}
    </span>
  );
}

/** A recording can be selected where it can be deleted or moved. */
function Choose({ meeting, selection }: { meeting: MeetingHit; selection: Selection }) {
  const { t } = useTranslation('library');
  if (!meeting.permissions.includes('own')) return null;
  return (
    <span className={styles.choose}>
      <Tick
        aria-label={t('many.select', { title: meeting.title || t('untitled') })}
        checked={selection.ids.has(meeting.id)}
        onChange={({ nativeEvent }) =>
          selection.toggle(meeting.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
      />
    </span>
  );
}

/** The recordings to drag: the whole selection where this one is in it, else this one. Only own ones can be moved. */
function useCarry(hits: readonly MeetingHit[], { ids }: Selection) {
  const me = useSession().data?.principal.id;
  const mine = (meeting: MeetingHit) => meeting.owner.id === me;
  return (meeting: MeetingHit) =>
    mine(meeting)
      ? draggable(() => ({
          kind: 'meetings',
          meetings: (ids.has(meeting.id) ? hits.filter((hit) => ids.has(hit.id) && mine(hit)) : [meeting]).map(
            ({ id, folder, sharedFolder }) => ({ id, folder, sharedFolder }),
          ),
        }))
      : {};
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
