import { IconChevronDown, IconChevronUp, IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useAtom, useSetAtom } from 'jotai';
import { useEffect, useEffectEvent, useMemo, useState } from 'react';

import type { VersionGrain, VersionView } from '#shared/meetings/history.ts';

import { useApi } from '../../../api.ts';
import { Failure } from '../../../errors/failure.tsx';
import { Avatar } from '../../../ui/avatar.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { usePhone } from '../../../ui/use-phone.ts';
import { Bone, Waiting } from '../../../ui/waiting.tsx';
import { useTranslation } from '../../../use-translation.ts';
import { useMeeting } from '../../open/meeting-context.ts';
import { openPaneAtom } from '../../base/open-pane.ts';
import { pastAtom, versionsKey } from './past.ts';
import { useNames, type Names } from './use-names.ts';
import styles from './version-list.module.css';
import { dayName, timeSpan } from './when.ts';

/** Milliseconds before new changes refresh the list; refreshing on each one would make it unreadable. */
const freshAfter = 5_000;
const mostAvatars = 3;

interface Stretch {
  by: VersionGrain;
  /** Only steps between these two versions. */
  within?: Pick<VersionView, 'version' | 'before'>;
}

function useVersions({ by, within }: Stretch) {
  const { about } = useMeeting();
  const api = useApi();
  return useInfiniteQuery({
    queryKey: [...versionsKey(about.id), by, within?.version, within?.before],
    queryFn: ({ pageParam, signal }) =>
      parseResponse(
        api.meetings[':id'].versions.$get(
          {
            param: { id: about.id },
            query: {
              by,
              ...(pageParam !== null && { upTo: String(pageParam) }),
              ...(within && { after: String(within.before) }),
            },
          },
          { init: { signal } },
        ),
      ),
    initialPageParam: within?.version ?? null,
    getNextPageParam: (page) => page.next,
  });
}

/** Versions by day, newest first; a chosen one is shown instead of the transcript. */
export default function VersionList() {
  const { t, i18n } = useTranslation('history');
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useVersions({ by: 'moment' });
  useFresh();
  const [now] = useState(() => new Date());
  const versions = useMemo(() => data?.pages.flatMap((page) => page.versions) ?? [], [data]);
  const people = useMemo(() => data?.pages.flatMap((page) => page.people) ?? [], [data]);
  const names = useNames(people);
  if (!data) {
    if (error) return <Failure error={error} onRetry={() => void refetch()} />;
    return (
      <Waiting label={t('loading')}>
        <div className={styles.bones}>
          {[70, 55, 80, 60].map((width) => (
            <Bone key={width} width={`${width}%`} height="2.5rem" />
          ))}
        </div>
      </Waiting>
    );
  }
  if (versions.length === 0)
    return (
      <Empty title={t('empty')} icon={<IconHistory size={32} stroke={1.5} />}>
        {t('emptyText')}
      </Empty>
    );
  const current = data.pages[0]?.current ?? 0;
  const days = new Map<string, VersionView[]>();
  for (const version of versions) {
    const day = dayName(new Date(version.at), now, i18n.language);
    days.set(day, [...(days.get(day) ?? []), version]);
  }
  return (
    <div className={styles.list}>
      <p className={styles.how}>{t('how')}</p>
      {[...days].map(([day, own]) => (
        <section key={day} aria-label={day}>
          <h3 className={styles.day}>{day}</h3>
          <ol className={styles.rows}>
            {own.map((version) => (
              <Row key={version.version} version={version} names={names} current={current} steps />
            ))}
          </ol>
        </section>
      ))}
      {hasNextPage && (
        <Button wide busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('more')}
        </Button>
      )}
    </div>
  );
}

/** Refreshes the list while the document changes. */
function useFresh(): void {
  const { about, live } = useMeeting();
  const queries = useQueryClient();
  const look = useEffectEvent(() => void queries.invalidateQueries({ queryKey: versionsKey(about.id) }));
  const { doc } = live;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const later = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        look();
      }, freshAfter);
    };
    doc.on('update', later);
    return () => {
      doc.off('update', later);
      clearTimeout(timer);
    };
  }, [doc]);
}

interface RowProps {
  version: VersionView;
  names: Names;
  current: number;
  /** Whether the row can be expanded. */
  steps?: boolean;
}

function Row({ version, names, current, steps = false }: RowProps) {
  const { t, i18n } = useTranslation('history');
  const [past, choose] = useAtom(pastAtom);
  const setOpenPane = useSetAtom(openPaneAtom);
  const phone = usePhone();
  const [open, setOpen] = useState(false);
  const { from, at, by, edits, name } = version;
  const chosen = past?.version === version.version;
  const time = timeSpan(new Date(from), new Date(at), i18n.language);
  return (
    <li className={styles.row} data-chosen={chosen || undefined}>
      <div className={styles.line}>
        <button
          type="button"
          className={styles.version}
          aria-pressed={chosen}
          onClick={() => {
            choose({ ...version, newest: version.version === current });
            // On a phone the list covers half of the version.
            if (phone) setOpenPane(null);
          }}
        >
          <span className={styles.when}>
            <time dateTime={at}>{time}</time>
            {version.version === current && <span className={styles.now}>{t('now')}</span>}
          </span>
          {name && <strong className={styles.name}>{name.text}</strong>}
          <span className={styles.who}>
            <span className={styles.avatars}>
              {by.slice(0, mostAvatars).map((id) => (
                <Avatar key={id} name={names.of(id)} id={id} size={24} />
              ))}
            </span>
            <WhatHappened version={version} names={names} />
          </span>
        </button>
        {steps && edits > 1 && (
          <IconButton
            label={t(open ? 'hideSteps' : 'steps', { time })}
            aria-expanded={open}
            icon={
              open ? (
                <IconChevronUp size={16} stroke={1.5} aria-hidden="true" />
              ) : (
                <IconChevronDown size={16} stroke={1.5} aria-hidden="true" />
              )
            }
            onClick={() => setOpen(!open)}
          />
        )}
      </div>
      {open && <Steps of={version} current={current} />}
    </li>
  );
}

function WhatHappened({ version, names }: Pick<RowProps, 'version' | 'names'>) {
  const { t } = useTranslation('history');
  const { kind, by, edits } = version;
  if (kind === 'machine') return <span>{t('machine')}</span>;
  if (kind !== 'edited') return <span>{t(kind, { name: names.list(by) })}</span>;
  return (
    <span>
      {names.list(by)} <span className={styles.edits}>· {t('edits', { count: edits })}</span>
    </span>
  );
}

/** Single saved steps of one version. */
function Steps({ of, current }: { of: VersionView; current: number }) {
  const { t } = useTranslation('history');
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useVersions({
    by: 'step',
    within: of,
  });
  const people = useMemo(() => data?.pages.flatMap((page) => page.people) ?? [], [data]);
  const names = useNames(people);
  if (!data) {
    if (error) return <Failure error={error} onRetry={() => void refetch()} />;
    return <Waiting label={t('loading')}>{null}</Waiting>;
  }
  return (
    <>
      <ol className={styles.steps}>
        {data.pages
          .flatMap((page) => page.versions)
          .map((version) => (
            <Row key={version.version} version={version} names={names} current={current} />
          ))}
      </ol>
      {hasNextPage && (
        <Button wide look="quiet" busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('moreSteps')}
        </Button>
      )}
    </>
  );
}
