import {
  IconClipboardCheck,
  IconFilterOff,
  IconFolder,
  IconFolderOff,
  IconSearch,
  IconUsers,
} from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState, type ReactNode, type RefObject } from 'react';
import { Link } from 'react-router-dom';

import { folderNeeds, pageSizes, rootPath } from '#shared/library.ts';

import { ApiError } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { part } from '../errors/part.tsx';
import { paths } from '../paths.ts';
import { usePreferences } from '../preferences.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Tick } from '../ui/field.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { SwipeDrawer } from '../ui/swipe-drawer.tsx';
import { usePhone } from '../ui/use-phone.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { BulkBar } from './bulk-bar.tsx';
import { useHere, useLibraryNews } from './folders-query.ts';
import { Folders } from './folders.tsx';
import styles from './library.module.css';
import { isTooCommon, useMeetings } from './meetings-query.ts';
import { findAddress, isFiltered, isWaitingForMe, usePlace, writeFilters, type Going } from './place.ts';
import { Rows } from './rows.tsx';
import { useSelection } from './selection.ts';
import { Tiles } from './tiles.tsx';
import { Tools } from './tools.tsx';

const Filters = part(() => import('./filters.tsx'));
const Chips = part(() => import('./chips.tsx'), { waiting: null });
const DropFilters = part(() => import('./drop-filters.tsx'), { waiting: null });

interface LibraryProps {
  /** Shown in a library without any recording. */
  first: ReactNode;
  /** Receives what holds the search field. */
  search: RefObject<HTMLDivElement | null>;
}

/** The open folder; at the top, also recordings that others share with the person. */
export function Library({ first, search }: LibraryProps) {
  const { t } = useTranslation(['library', 'shell']);
  const [place, go] = usePlace();
  const [{ searchResultsViewMode = 'table' }, prefer] = usePreferences();
  const mode = place.view ?? searchResultsViewMode;
  useLibraryNews();
  const { data, error, refetch, isPlaceholderData } = useMeetings(place, mode);
  const hits = data?.hits ?? [];
  const choosable = hits.filter(({ permissions }) => permissions.includes('own')).map(({ id }) => id);
  const selection = useSelection(
    choosable,
    [place.shared, place.sid, place.folder, place.query, writeFilters(place.filters), place.page, mode].join('\n'),
  );
  const filtered = isFiltered(place);
  const phone = usePhone();
  /** Choice of this visit; null shows the filters beside a search on a wide screen. */
  const [opened, setOpened] = useState<boolean | null>(null);

  const pages = data ? Math.ceil(data.total / pageSizes[mode]) : 0;
  const { page, query, folder, sid, shared } = place;
  const { here } = useHere(place);
  const mayAdd = (sid === null && !shared) || here?.permissions.includes(folderNeeds.add) === true;
  const backTo = useEffectEvent((last: number) => go({ page: last }, true));
  // The last page may be empty after a deletion, or the address may be old.
  useEffect(() => {
    if (!isPlaceholderData && pages > 0 && page >= pages) backTo(pages - 1);
  }, [isPlaceholderData, pages, page]);

  // The address may be of another version: of names that the page does not know, or of values that the server refuses.
  if (place.filters === null || (filtered && error instanceof ApiError && error.code === 'INVALID'))
    return (
      <Empty
        title={t('wrongFilters')}
        icon={<IconFilterOff size={32} stroke={1.5} />}
        action={<Button onClick={() => go({ filters: {} })}>{t('clearFilters')}</Button>}
      >
        {t('wrongFiltersText')}
      </Empty>
    );
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
        {isTooCommon(error) ? t('tooCommon') : t('failed')}
      </Failure>
    );
  }
  const all = choosable.length > 0 && choosable.every((id) => selection.ids.has(id));
  const chosen = hits.filter(({ id }) => selection.ids.has(id));
  const nothing = data.total === 0 && data.folders.length === 0;
  const asked = query !== '' || filtered;
  const bare = nothing && !asked;
  const beside = !phone && !bare && (opened ?? asked);
  return (
    <section className={styles.library} aria-label={t('list')} aria-busy={isPlaceholderData || undefined}>
      <Tools
        place={place}
        search={search}
        go={go}
        mode={mode}
        bare={bare}
        mayAdd={mayAdd}
        onMode={(next) => {
          prefer({ searchResultsViewMode: next });
          go({ page: 0, view: next }, true);
        }}
        filtersOpened={phone ? opened === true : beside}
        onFilters={() => setOpened(phone ? true : !beside)}
      />
      {filtered && <Chips place={place} go={go} />}
      {phone && (
        <SwipeDrawer
          label={t('filters')}
          opened={opened === true}
          onOpen={() => setOpened(true)}
          onClose={() => setOpened(false)}
        >
          <FilterDrawer place={place} go={go} opened={opened === true} onClose={() => setOpened(false)} />
        </SwipeDrawer>
      )}
      <div className={styles.columns} data-filters={beside || undefined}>
        {beside && (
          <div className={styles.filters} role="group" aria-label={t('filters')}>
            <Filters place={place} go={go} />
          </div>
        )}
        <div className={styles.results}>
          {/* Folders come before recordings, so on the first page. */}
          {page === 0 && <Folders folders={data.folders} place={place} />}
          {!bare && (
            <div className={styles.found}>
              {choosable.length > 0 && (
                <span className={styles.all} data-tour="many">
                  <Tick
                    aria-label={t('many.selectAll')}
                    checked={all}
                    onChange={(event) => selection.setAll(event.currentTarget.checked)}
                  />
                </span>
              )}
              <p role="status">
                {data.atLeast ? t('moreThan', { count: data.total - 1 }) : t('found', { count: data.total })}
                {data.behind !== undefined && data.behind > 0 && ` · ${t('hits.behind', { count: data.behind })}`}
              </p>
              {data.total > 0 && (query.trim() !== '' || place.filters.outcome !== undefined) && (
                <Link to={findAddress(place)}>{t('hits.all')}</Link>
              )}
            </div>
          )}
          {nothing ? (
            <Nothing place={place} mayAdd={mayAdd} first={first} go={go} />
          ) : mode === 'tile' ? (
            <Tiles hits={hits} place={place} go={go} selection={selection} />
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
        </div>
      </div>
      <BulkBar chosen={chosen} onClear={() => selection.setAll(false)} />
    </section>
  );
}

/** Stays empty until it is opened once: its counts are a request of their own. */
function FilterDrawer({ place, go, opened, onClose }: Going & { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('library');
  const [wanted, setWanted] = useState(opened);
  if (opened && !wanted) setWanted(true);
  return (
    <div className={styles.drawer}>
      <div className={styles.drawerHead}>
        <h2>{t('filters')}</h2>
        <Button look="primary" onClick={onClose}>
          {t('showFiltered')}
        </Button>
      </div>
      {wanted && <Filters place={place} go={go} />}
    </div>
  );
}

function Nothing({
  place,
  mayAdd,
  first,
  go,
}: Going & {
  mayAdd: boolean;
  first: ReactNode;
}) {
  const { t } = useTranslation(['library', 'shell']);
  const { query, folder, sid, shared } = place;
  const unfilter = () => go({ filters: {} });
  if (isWaitingForMe(place) && query === '')
    return (
      <Empty
        title={t('waiting.emptyTitle')}
        icon={<IconClipboardCheck size={32} stroke={1.5} />}
        action={<Button onClick={unfilter}>{t('showAll')}</Button>}
      >
        {t('waiting.emptyText')}
      </Empty>
    );
  if (isFiltered(place))
    return (
      <Empty
        title={t('nothingTitle')}
        icon={<IconFilterOff size={32} stroke={1.5} />}
        action={
          <div className={styles.drops}>
            <DropFilters place={place} go={go} />
            <Button onClick={unfilter}>{t('clearFilters')}</Button>
          </div>
        }
      >
        {t('nothingFits')}
      </Empty>
    );
  if (query !== '')
    return (
      <Empty
        title={t('nothingTitle')}
        icon={<IconSearch size={32} stroke={1.5} />}
        action={<Button onClick={() => go({ query: '', filters: {} })}>{t('showAll')}</Button>}
      >
        {t('nothingText', { query })}
      </Empty>
    );
  if (shared)
    return (
      <Empty title={t('shared.emptyTitle')} icon={<IconUsers size={32} stroke={1.5} />}>
        {t('shared.emptyText')}
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
