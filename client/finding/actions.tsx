import {
  IconArrowBackUp,
  IconBook2,
  IconFolder,
  IconFolderSymlink,
  IconReplace,
  IconTag,
  IconTrash,
  IconUsers,
  IconUsersMinus,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';

import type { ActionView } from '#shared/actions.ts';
import { pageSizes } from '#shared/library.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { Places } from '../library/places.tsx';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { RelativeDate } from '../ui/dates.tsx';
import { Empty } from '../ui/empty.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { Bone, Waiting } from '../ui/waiting.tsx';
import styles from '../library/undo-rows.module.css';
import { useTranslation } from '../use-translation.ts';
import { actionsKey, useUndo } from './use-undo.ts';

const size = pageSizes.table;

/** Page of the person's own changes of the last 30 days, each with Undo. */
export default function MyActions() {
  const { t } = useTranslation('finding');
  if (!useTexts('finding')) return <ActionBones />;
  return (
    <>
      <PageTitle lead={t('actions.lead')}>{t('actions.title')}</PageTitle>
      <Places />
      <List />
    </>
  );
}

function List() {
  const { t } = useTranslation('finding');
  const api = useApi();
  const [page, setPage] = useState(0);
  const { data, error, refetch } = useQuery({
    queryKey: [...actionsKey, page],
    queryFn: ({ signal }) =>
      parseResponse(
        api.actions.$get({ query: { start: String(page * size), size: String(size) } }, { init: { signal } }),
      ),
    placeholderData: (before) => before,
    staleTime: 0,
  });
  if (!data)
    return error ? (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('actions.failed')}
      </Failure>
    ) : (
      <ActionBones />
    );
  if (data.total === 0)
    return (
      <Empty title={t('actions.emptyTitle')} icon={<IconArrowBackUp size={32} stroke={1.5} />}>
        {t('actions.emptyText')}
      </Empty>
    );
  return (
    <>
      <ul className={styles.items} aria-label={t('actions.title')}>
        {data.actions.map((action) => (
          <Action key={action.id} action={action} />
        ))}
      </ul>
      <Pagination page={page + 1} total={Math.ceil(data.total / size)} onChange={(next) => setPage(next - 1)} />
    </>
  );
}

const icons = {
  fix: IconReplace,
  move: IconFolderSymlink,
  folder_rename: IconFolder,
  folder_move: IconFolderSymlink,
  folder_delete: IconTrash,
  share: IconUsers,
  tags: IconTag,
  speakers: IconUsersMinus,
  glossary: IconBook2,
} as const;

/** A change in words, with how much of it can still be undone. */
function useWords({ kind, what }: ActionView): { words: string; count: string | null } {
  const { t } = useTranslation(['finding', 'library']);
  switch (kind) {
    case 'fix':
      return { words: t('actions.fix', what), count: t('fix.places', { count: what.places }) };
    case 'move': {
      const words = what.to === null ? t('actions.moveTop') : t('actions.move', { to: what.to });
      return { words, count: t('library:found', { count: what.recordings }) };
    }
    case 'folder_rename':
      return { words: t('actions.folderRename', what), count: null };
    case 'folder_move':
      return { words: t('actions.folderMove', what), count: null };
    case 'folder_delete':
      return { words: t('actions.folderDelete', what), count: t('library:found', { count: what.recordings }) };
    case 'share': {
      const name = what.name || t('library:untitled');
      return { words: t(what.of === 'folder' ? 'actions.shareFolder' : 'actions.share', { name }), count: null };
    }
    case 'speakers':
      return { words: t('actions.speakers', { ...what, title: what.title || t('library:untitled') }), count: null };
    case 'glossary': {
      const terms = what.terms.join(', ');
      return { words: t(what.removed ? 'actions.termsRemoved' : 'actions.termsAdded', { terms }), count: null };
    }
    case 'tags': {
      const tags = what.tags.join(', ');
      const words = what.to === null ? t('actions.tagsRemoved', { tags }) : t('actions.tags', { tags, to: what.to });
      return { words, count: t('library:found', { count: what.recordings }) };
    }
  }
}

function Action({ action }: { action: ActionView }) {
  const { id, kind, at, undoneAt } = action;
  const { t } = useTranslation('finding');
  const undo = useUndo();
  const { words, count } = useWords(action);
  const Icon = icons[kind];
  return (
    <li className={styles.item}>
      <Icon size={22} stroke={1.5} aria-hidden="true" />
      <div className={styles.words}>
        <span>{words}</span>
        <span className={styles.facts}>
          {undoneAt === null && count !== null && <span>{count}</span>}
          <RelativeDate at={new Date(at)} />
          {undo.undone !== null && <span role="status">{t('actions.undoneNow', { count: undo.undone })}</span>}
        </span>
      </div>
      {undoneAt === null ? (
        <Button
          aria-label={t('actions.undoOf', { action: words })}
          busy={undo.isPending}
          onClick={() => undo.mutate(id)}
        >
          {t('actions.undo')}
        </Button>
      ) : (
        <span className={styles.facts}>{t('actions.undone')}</span>
      )}
    </li>
  );
}

const ActionBones = () => (
  <Waiting>
    <Bone width="60%" height="1.25rem" />
    <Bone width="70%" height="1.25rem" />
  </Waiting>
);
