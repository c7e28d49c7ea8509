import { IconPencil, IconTag, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useState } from 'react';
import { Link } from 'react-router-dom';

import { pageSizes } from '#shared/library.ts';
import type { TagsAnswer } from '#shared/tags.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { undoFor } from '../library/folders-query.ts';
import { askBehind, listKey } from '../library/meetings-query.ts';
import { writeFilters } from '../library/place.ts';
import { Places } from '../library/places.tsx';
import styles from '../library/undo-rows.module.css';
import { paths } from '../paths.ts';
import { useNotify } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { Pagination } from '../ui/pagination.tsx';
import { useSending } from '../ui/sending.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { actionsKey, useUndo } from './use-undo.ts';

type Tag = TagsAnswer['tags'][number];

const size = pageSizes.table;
const longestTag = 100;
const icon = { size: 18, stroke: 1.5, 'aria-hidden': 'true' } as const;

/** Page of the tags of all recordings, which are renamed, merged and deleted here. */
export default function Tags() {
  const { t } = useTranslation('finding');
  if (!useTexts('finding')) return <TagBones />;
  return (
    <>
      <PageTitle lead={t('tags.lead')}>{t('tags.title')}</PageTitle>
      <Places />
      <List />
    </>
  );
}

function useTags(like: string, page: number) {
  const api = useApi();
  const asked = { like, start: String(page * size), size: String(size) };
  return useQuery({
    // Below the key of the list, as each changes with the other.
    queryKey: [...listKey, 'tags', asked],
    queryFn: ({ signal }) => parseResponse(api.tags.$get({ query: asked }, { init: { signal } })),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => ((state.data?.behind ?? 0) > 0 ? askBehind : false),
    staleTime: 0,
  });
}

function List() {
  const { t } = useTranslation(['finding', 'library']);
  const [like, setLike] = useState('');
  const [page, setPage] = useState(0);
  const { data, error, refetch } = useTags(like.trim(), page);
  const pages = data ? Math.ceil(data.total / size) : 0;
  // The last tag of the last page became another one.
  if (data && page > 0 && page >= pages) setPage(Math.max(0, pages - 1));
  if (!data)
    return error ? (
      <Failure error={error} onRetry={() => void refetch()}>
        {t('tags.failed')}
      </Failure>
    ) : (
      <TagBones />
    );
  if (data.total === 0 && like === '')
    return (
      <>
        <Behind behind={data.behind} />
        <Empty title={t('tags.emptyTitle')} icon={<IconTag size={32} stroke={1.5} />}>
          {t('tags.emptyText')}
        </Empty>
      </>
    );
  return (
    <>
      {(data.total > size || like !== '') && (
        <TextField
          label={t('tags.find')}
          value={like}
          onChange={(next) => {
            setLike(next);
            setPage(0);
          }}
          maxLength={longestTag}
          autoComplete="off"
        />
      )}
      <Behind behind={data.behind} />
      {data.total === 0 && <p role="status">{t('tags.none')}</p>}
      <ul className={styles.items} aria-label={t('tags.title')}>
        {data.tags.map((tag) => (
          <Row key={tag.tag} tag={tag} />
        ))}
      </ul>
      <Pagination page={page + 1} total={pages} onChange={(next) => setPage(next - 1)} />
    </>
  );
}

function Behind({ behind }: { behind: number }) {
  const { t } = useTranslation('library');
  return behind > 0 && <p role="status">{t('hits.behind', { count: behind })}</p>;
}

function Row({ tag: { tag, recordings, writes } }: { tag: Tag }) {
  const { t } = useTranslation(['finding', 'library']);
  const [renaming, setRenaming] = useState<boolean | null>(null);
  const remove = useReplace(tag);
  const to = `${paths.home}?${new URLSearchParams({ filters: writeFilters({ tag: [tag] }) })}`;
  if (renaming) return <RenameForm tag={tag} onDone={() => setRenaming(false)} />;
  return (
    <li ref={renaming === false ? focusButton : undefined} className={styles.item}>
      <IconTag size={22} stroke={1.5} aria-hidden="true" />
      <div className={styles.words}>
        <Link to={to}>{tag}</Link>
        <span className={styles.facts}>
          <span>{t('library:found', { count: recordings })}</span>
          {writes === 0 && <span>{t('tags.readOnly')}</span>}
          {writes > 0 && writes < recordings && <span>{t('tags.some', { count: writes })}</span>}
          <Progress changed={remove.changed} />
        </span>
        {remove.errors.map((error) => (
          <p key={error} role="alert">
            {error}
          </p>
        ))}
      </div>
      {writes > 0 && (
        <div className={styles.actions}>
          <IconButton
            label={t('tags.renameOf', { tag })}
            icon={<IconPencil {...icon} />}
            onClick={() => setRenaming(true)}
          />
          <IconButton
            label={t('tags.deleteOf', { tag })}
            icon={<IconTrash {...icon} />}
            disabled={remove.busy}
            onClick={() => remove.send(null)}
          />
        </div>
      )}
    </li>
  );
}

function Progress({ changed }: { changed: number | null }) {
  const { t } = useTranslation('finding');
  return changed !== null && changed > 0 && <span role="status">{t('tags.changing', { count: changed })}</span>;
}

const focusField = (row: HTMLLIElement | null) => row?.querySelector('input')?.focus();
const focusButton = (row: HTMLLIElement | null) => row?.querySelector('button')?.focus();

function RenameForm({ tag, onDone }: { tag: string; onDone: () => void }) {
  const { t } = useTranslation(['finding', 'library', 'common']);
  const [typed, setTyped] = useState(tag);
  const { send, busy, errors, errorOf, refuse, changed } = useReplace(tag, onDone);
  const submit = () => {
    if (busy) return;
    if (typed.trim() === '') refuse([{ field: 'to', code: 'required' }]);
    else if (typed.trim() === tag) onDone();
    else send(typed);
  };
  return (
    <li ref={focusField} className={styles.item}>
      <div className={styles.words}>
        <Form label={t('finding:tags.renameOf', { tag })} errors={errors} onSubmit={submit}>
          <TextField
            name="to"
            label={t('finding:tags.name')}
            hint={t('finding:tags.hint')}
            value={typed}
            onChange={setTyped}
            error={errorOf('to')}
            maxLength={longestTag}
            autoComplete="off"
          />
          <Progress changed={changed} />
          <Actions>
            <Button look="quiet" onClick={onDone}>
              {t('common:cancel')}
            </Button>
            <Button type="submit" look="primary" busy={busy}>
              {t('library:save')}
            </Button>
          </Actions>
        </Form>
      </div>
    </li>
  );
}

interface Replaced {
  changed: number;
  failed: number;
  action: string | null;
}

/** Puts another tag, or none, in the place of one: request by request, until no recording is left. */
function useReplace(tag: string, onDone?: () => void) {
  const { t } = useTranslation(['finding', 'library']);
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const undo = useUndo();
  const [changed, setChanged] = useState<number | null>(null);
  const replace = async (to: string | null): Promise<Replaced> => {
    const all: Replaced = { changed: 0, failed: 0, action: null };
    try {
      for (let after: string | null | undefined; after !== null;) {
        const going = { ...(after && { after }), ...(all.action !== null && { action: all.action }) };
        const answer = await parseResponse(api.tags.replace.$post({ json: { tags: [tag], to, ...going } }));
        all.changed += answer.changed;
        all.failed += answer.failed.length;
        all.action = answer.action;
        after = answer.next;
        if (after !== null) setChanged(all.changed);
      }
      return all;
    } finally {
      setChanged(null);
      await Promise.all([listKey, actionsKey].map((queryKey) => queries.invalidateQueries({ queryKey })));
    }
  };
  const told = ({ changed: count, failed, action }: Replaced, to: string | null) => {
    const said = to === null ? t('tags.deleted', { tag, count }) : t('tags.renamed', { tag, to: to.trim(), count });
    notify({
      type: 'info',
      message: [
        said,
        ...(failed > 0 ? [' ', t('tags.left', { count: failed })] : []),
        ...(action === null
          ? []
          : [' ', { kind: 'clickable' as const, text: t('library:undo'), onClick: () => undo.mutate(action) }]),
      ],
      duration: undoFor,
    });
    onDone?.();
  };
  return { ...useSending(replace, told), changed };
}

const TagBones = () => (
  <Waiting>
    <Bone width="60%" height="1.25rem" />
    <Bone width="70%" height="1.25rem" />
  </Waiting>
);
