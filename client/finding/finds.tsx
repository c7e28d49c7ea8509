import { IconArrowLeft, IconDownload, IconReplace, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useCallback, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';

import { longestReplacement } from '#shared/finding/fix.ts';
import type { FoundPlace, FindsAnswer } from '#shared/finds.ts';
import { rootPath } from '#shared/library.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import Chips from '../library/chips.tsx';
import { askBehind, isTooCommon, listKey, selectionOf } from '../library/meetings-query.ts';
import { addressOf, isFiltered, readPlace, writePlace, type Going, type Place } from '../library/place.ts';
import { Search } from '../library/tools.tsx';
import { paths } from '../paths.ts';
import { useTexts } from '../texts.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './finds.module.css';
import FixDialog, { fixable } from './fix-dialog.tsx';
import { Line } from './line.tsx';
import { PlaceBar, usePlacePlayer } from './place-player.tsx';
import { RecordingHead } from './recording-head.tsx';

/** Every place of the words of a search, or of graded outcomes, in all recordings; each can be played here. */
export default function Finds() {
  const { t } = useTranslation('finding');
  const ready = [useTexts('finding'), useTexts('document')].every(Boolean);
  const [place, go, wanted] = useFindPlace();
  if (!ready) return <PlaceBones />;
  const { query, filters, shared, sid, folder } = place;
  const params = writePlace(new URLSearchParams(), place).toString();
  const back = `${shared ? paths.shared : addressOf(folder)}${params && `?${params}`}`;
  const asked = query.trim() !== '' || filters?.outcome !== undefined;
  return (
    <>
      <PageTitle>{t('places.title')}</PageTitle>
      <div className={styles.tools}>
        <div className={styles.search}>
          <Search query={query} onSearch={(next) => go({ query: next }, true)} />
        </div>
        <ButtonLink look="quiet" to={back} icon={<IconArrowLeft size={18} stroke={1.5} aria-hidden="true" />}>
          {t('places.back')}
        </ButtonLink>
      </div>
      {isFiltered(place) && <Chips place={place} go={go} />}
      {asked ? (
        <Lines
          key={JSON.stringify([query, filters, shared, sid, folder])}
          place={place}
          wanted={wanted}
          onFixed={() => go({}, true)}
        />
      ) : (
        <Empty title={t('places.nothingAsked')} icon={<IconSearch size={32} stroke={1.5} />}>
          {t('places.nothingAskedText')}
        </Empty>
      )}
    </>
  );
}

/** The place of the list, with its folder in the query, and the words that are to replace those that are searched for. */
function useFindPlace(): readonly [Place, Going['go'], string | null] {
  const { search } = useLocation();
  const navigate = useNavigate();
  const params = new URLSearchParams(search);
  const place = {
    ...readPlace(params),
    folder: params.get('folder') ?? rootPath,
    shared: params.get('shared') === 'with-me',
  };
  const wanted = params.get('fix')?.slice(0, longestReplacement) ?? null;
  const go: Going['go'] = (change, quietly = false) => {
    const next = writePlace(params, { ...place, page: 0, ...change });
    next.delete('fix');
    void navigate({ pathname: paths.find, search: next.toString() }, { replace: quietly });
  };
  return [place, go, wanted];
}

function usePlaces(place: Place) {
  const api = useApi();
  const asked = selectionOf(place);
  return useInfiniteQuery({
    enabled: place.filters !== null,
    queryKey: [...listKey, 'places', asked],
    queryFn: ({ signal, pageParam }) =>
      parseResponse(
        api.finds.$get(
          { query: { ...asked, ...(pageParam === null ? {} : { after: pageParam }) } },
          { init: { signal } },
        ),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: FindsAnswer) => next,
    // Words that were just changed are found as they were until they are indexed.
    refetchInterval: ({ state }) => ((state.data?.pages[0]?.behind ?? 0) > 0 ? askBehind : false),
    staleTime: 0,
  });
}

/** More lines than these are laid out where they are seen. */
const manyLines = 200;

interface LinesProps {
  place: Place;
  wanted: string | null;
  /** Takes the wanted words out of the address, so that neither a reload nor the way back asks for them again. */
  onFixed: () => void;
}

function Lines({ place, wanted, onFixed }: LinesProps) {
  const { t } = useTranslation(['finding', 'library']);
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = usePlaces(place);
  const player = usePlacePlayer();
  const [fixing, setFixing] = useState(wanted !== null);
  const [asked, setAsked] = useState(wanted);
  if (asked !== wanted) {
    setAsked(wanted);
    if (wanted !== null) setFixing(true);
  }
  const loadMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);
  const pages = data?.pages ?? [];
  const places = pages.flatMap((page) => page.places);
  const recordings = new Map(pages.flatMap((page) => page.recordings).map((one) => [one.id, one]));
  // Pages of recordings that are found by their title alone have no place.
  const empty = places.length === 0 && hasNextPage && !isFetchingNextPage && !error;
  useEffect(() => {
    if (empty) void fetchNextPage();
  }, [empty, fetchNextPage]);
  if (error && places.length === 0)
    return (
      <Failure error={error} onRetry={() => void refetch()}>
        {isTooCommon(error) ? t('library:tooCommon') : t('places.failed')}
      </Failure>
    );
  if (!data || (places.length === 0 && hasNextPage)) return <PlaceBones />;
  const { total = 0, atLeast = false, behind = 0 } = pages[0] ?? {};
  const found = atLeast
    ? // Known are the recordings of the lines that are loaded.
      t(hasNextPage ? 'library:atLeast' : 'library:found', { count: recordings.size })
    : t('library:found', { count: total });
  const late = behind > 0 && ` · ${t('library:hits.behind', { count: behind })}`;
  if (places.length === 0)
    return (
      <>
        {late && <p role="status">{late.slice(3)}</p>}
        <Empty title={t('library:nothingTitle')} icon={<IconSearch size={32} stroke={1.5} />}>
          {t('places.none')}
        </Empty>
      </>
    );
  return (
    <div
      className={styles.found}
      data-many={places.length > manyLines || undefined}
      onKeyDown={(event) => stepLines(event)}
    >
      <p role="status" className={styles.count}>
        {found}
        {late}
        <span className={styles.keys}>{t('places.keys')}</span>
      </p>
      <div className={styles.actions}>
        {(fixing || fixable(places, recordings).length > 0) && (
          <Button icon={<IconReplace size={18} stroke={1.5} aria-hidden="true" />} onClick={() => setFixing(true)}>
            {t('fix.open')}
          </Button>
        )}
        <a
          className={styles.download}
          href={`/api/finds.csv?${new URLSearchParams(selectionOf(place))}`}
          download="places.csv"
        >
          <IconDownload size={18} stroke={1.5} aria-hidden="true" />
          {t('places.download')}
        </a>
      </div>
      <FixDialog
        opened={fixing}
        onClose={() => {
          setFixing(false);
          if (wanted !== null) onFixed();
        }}
        query={place.query.trim()}
        wanted={wanted ?? ''}
        places={places}
        recordings={recordings}
        loadMore={hasNextPage ? loadMore : null}
        loadFailed={error !== null}
      />
      {groupsOf(places).map(([id, group]) => {
        const recording = recordings.get(id);
        return (
          recording && (
            <section key={id} aria-labelledby={`recording-${id}`}>
              <RecordingHead recording={recording} />
              <ol className={styles.lines}>
                {group.map((one) => (
                  <Line
                    key={[one.kind, one.item, one.outcome?.type, one.segment, one.start, one.before, one.words].join(
                      '\n',
                    )}
                    place={one}
                    recording={recording}
                    player={player}
                  />
                ))}
              </ol>
            </section>
          )
        );
      })}
      {hasNextPage && (
        <div className={styles.more}>
          <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('more')}
          </Button>
          {error && <p role="alert">{t('places.failed')}</p>}
        </div>
      )}
      <PlaceBar player={player} />
    </div>
  );
}

/** Places in their order, by recording. */
function groupsOf(places: readonly FoundPlace[]): [id: string, group: FoundPlace[]][] {
  const groups = new Map<string, FoundPlace[]>();
  for (const place of places) groups.set(place.recording, [...(groups.get(place.recording) ?? []), place]);
  return [...groups];
}

/** J and K lead to the next line and the one before, from wherever the focus is in the list. */
function stepLines(event: React.KeyboardEvent<HTMLElement>): void {
  const step = { KeyJ: 1, KeyK: -1 }[event.code];
  if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const lines = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-line]')];
  const at = lines.findIndex((line) => line.parentElement?.contains(document.activeElement));
  const next = lines[at === -1 ? 0 : Math.min(lines.length - 1, Math.max(0, at + step))];
  event.preventDefault();
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

function PlaceBones() {
  return (
    <Waiting>
      <div className={styles.bones}>
        {[40, 90, 85, 95, 70].map((width) => (
          <Bone key={width} width={`${width}%`} height="1.25rem" />
        ))}
      </div>
    </Waiting>
  );
}
