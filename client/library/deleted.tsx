import { IconFileText, IconFolder, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useLayoutEffect, useRef, useState, type RefObject } from 'react';

import { pageSizes } from '#shared/library.ts';
import type { DeletedAnswer } from '#shared/meetings/meeting.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { useConfirm, useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { RelativeDate } from '../ui/dates.tsx';
import { Empty } from '../ui/empty.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import styles from './undo-rows.module.css';
import { Places } from './places.tsx';

type Item = DeletedAnswer['items'][number];

const deletedKey = ['deleted'] as const;
const size = pageSizes.table;
const day = 86_400_000;

/** Deleted recordings: can be restored for some time, or deleted for good. */
export default function Deleted() {
  const { t } = useTranslation('library');
  return (
    <>
      <PageTitle lead={t('trash.lead')}>{t('trash.title')}</PageTitle>
      <Places />
      <Annotations />
    </>
  );
}

function Annotations() {
  const { t } = useTranslation('library');
  const api = useApi();
  const [page, setPage] = useState(0);
  const { data, error, refetch } = useQuery({
    queryKey: [...deletedKey, page],
    queryFn: ({ signal }) =>
      parseResponse(
        api.deleted.$get({ query: { start: String(page * size), size: String(size) } }, { init: { signal } }),
      ),
    placeholderData: (before) => before,
    staleTime: 0,
  });
  const pages = data ? Math.ceil(data.total / size) : 0;
  // The last recording of the last page was restored.
  if (data && page > 0 && page >= pages) setPage(Math.max(0, pages - 1));
  if (!data)
    return error ? (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('trash.failed')}
      </Failure>
    ) : (
      <Waiting>
        <Bone width="60%" height="1.25rem" />
        <Bone width="70%" height="1.25rem" />
      </Waiting>
    );
  if (data.total === 0)
    return (
      <Empty title={t('trash.emptyTitle')} icon={<IconTrash size={32} stroke={1.5} />}>
        {t('trash.emptyText')}
      </Empty>
    );
  return (
    <>
      <ul className={styles.items} aria-label={t('trash.list')}>
        {data.items.map((item) => (
          <One key={item.id} item={item} />
        ))}
      </ul>
      <Pagination page={page + 1} total={pages} onChange={(next) => setPage(next - 1)} />
    </>
  );
}

/** After a row is removed, moves the focus to the next row; after the last one, to the heading. */
function useFocusPassedOn(row: RefObject<HTMLLIElement | null>): () => void {
  const acted = useRef(false);
  useLayoutEffect(() => {
    const gone = row.current;
    return () => {
      const at = document.activeElement;
      const elsewhere = at !== null && at !== document.body && !gone?.contains(at) && !at.closest('[role=dialog]');
      if (!acted.current || elsewhere) return;
      const next = gone?.nextElementSibling ?? gone?.previousElementSibling;
      queueMicrotask(() => {
        const to = next?.isConnected ? next.querySelector('button') : document.querySelector('h1');
        to?.focus();
      });
    };
  }, [row]);
  return () => {
    acted.current = true;
  };
}

function One({ item }: { item: Item }) {
  const { t } = useTranslation('library');
  const api = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const notify = useNotify();
  const row = useRef<HTMLLIElement>(null);
  const act = useFocusPassedOn(row);
  const title = item.title || t('untitled');
  const isFolder = item.kind === 'folder';
  const again = () =>
    Promise.all([deletedKey, ['meetings'], ['folders']].map((queryKey) => queries.invalidateQueries({ queryKey })));
  const restore = useMutation({
    mutationFn: async () => {
      if (isFolder) await parseResponse(api.folders.restore.$post({ json: { id: item.id } }));
      else await parseResponse(api.meetings.restore.$post({ json: { ids: [item.id] } }));
    },
    onSuccess: () => {
      act();
      notify({ type: 'info', message: isFolder ? t('folder.restored', { name: title }) : t('restored', { title }) });
      return again();
    },
  });
  const remove = useMutation({
    mutationFn: () => parseResponse(api.deleted.remove.$post({ json: { ids: [item.id] } })),
    onSuccess: () => {
      act();
      notify({ type: 'info', message: t('trash.removed', { title }) });
      return again();
    },
  });
  const ask = async () => {
    const sure = await confirm({
      title: t('trash.sure', { title }),
      text: t('trash.sureText'),
      action: t('trash.remove'),
      danger: true,
    });
    if (sure) remove.mutate();
  };
  const Icon = isFolder ? IconFolder : IconFileText;
  const [now] = useState(() => Date.now());
  const left = Math.max(1, Math.ceil((new Date(item.until).getTime() - now) / day));
  return (
    <li ref={row} className={styles.item}>
      <Icon size={22} stroke={1.5} aria-hidden="true" />
      <div className={styles.words}>
        <span>{title}</span>
        <span className={styles.facts}>
          {isFolder && <span>{t('found', { count: item.meetings })}</span>}
          <span>
            {t('trash.deleted')} <RelativeDate at={new Date(item.deletedAt)} />
          </span>
          <span>{t('trash.left', { count: left })}</span>
        </span>
      </div>
      <div className={styles.actions}>
        <Button aria-label={t('trash.restoreOf', { title })} busy={restore.isPending} onClick={() => restore.mutate()}>
          {t('trash.restore')}
        </Button>
        <Button
          look="quiet"
          data-danger=""
          aria-label={t('trash.removeOf', { title })}
          busy={remove.isPending}
          onClick={() => void ask()}
        >
          {t('trash.remove')}
        </Button>
      </div>
    </li>
  );
}
