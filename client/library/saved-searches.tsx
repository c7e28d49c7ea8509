import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useCallback, useRef, useState } from 'react';
import { Link } from 'react-router-dom';

import { searchLimits } from '#shared/library.ts';
import type { FieldError } from '#shared/problems.ts';
import type { SearchView } from '#shared/searches.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { useNotify } from '../store.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { useSending } from '../ui/sending.ts';
import { Bone, Waiting } from '../ui/waiting.tsx';
import { useTranslation } from '../use-translation.ts';
import { undoFor } from './folders-query.ts';
import { isFiltered, type Place } from './place.ts';
import styles from './saved-searches.module.css';
import {
  addressOfSearch,
  forgetFresh,
  refreshSearches,
  searchOf,
  shows,
  useFresh,
  useSearches,
} from './saved-query.ts';

const icon = { size: 18, stroke: 1.5, 'aria-hidden': 'true' } as const;

interface SavedSearchesProps {
  place: Place;
  opened: boolean;
  onClose: () => void;
}

/** The person's saved searches with their new results; what the library shows can be saved among them. */
export default function SavedSearches({ place, opened, onClose }: SavedSearchesProps) {
  const { t } = useTranslation('library');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('savedSearches')} room="12rem">
      <Content place={place} onClose={onClose} />
    </Dialog>
  );
}

function Content({ place, onClose }: Omit<SavedSearchesProps, 'opened'>) {
  const { t } = useTranslation('finding');
  const ready = useTexts('finding');
  const { data, error, refetch } = useSearches();
  const fresh = useFresh();
  const list = useRef<HTMLDivElement>(null);
  if (!ready || !data) {
    if (ready && error)
      return (
        <Failure error={error} onRetry={() => void refetch()}>
          {t('searches.failed')}
        </Failure>
      );
    return (
      <Waiting>
        <Bone width="60%" height="1.25rem" />
        <Bone width="70%" height="1.25rem" />
      </Waiting>
    );
  }
  const asked = place.query.trim() !== '' || isFiltered(place);
  const current = data.searches.find((one) => shows(place, one));
  return (
    <div ref={list} className={styles.saved} tabIndex={-1}>
      {asked && !current && <SaveForm place={place} onDone={onClose} />}
      {data.searches.length === 0 ? (
        !asked && <p className={styles.empty}>{t('searches.empty')}</p>
      ) : (
        <ul className={styles.items} aria-label={t('searches.title')}>
          {data.searches.map((search) => (
            <Row
              key={search.id}
              search={search}
              here={place}
              current={search === current}
              fresh={fresh.get(search.id) ?? 0}
              onOpen={onClose}
              onGone={() => list.current?.focus()}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

/** Messages for what only the name of a search has. */
function useRefusals() {
  const { t } = useTranslation('finding');
  return useCallback(
    ({ code }: FieldError) => {
      if (code === 'search_taken') return t('searches.taken');
      return code === 'too_many' ? t('searches.full', { most: searchLimits.most }) : undefined;
    },
    [t],
  );
}

function SaveForm({ place, onDone }: { place: Place; onDone: () => void }) {
  const { t } = useTranslation('finding');
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const [name, setName] = useState(place.query.trim().slice(0, searchLimits.name));
  const { send, busy, errors, errorOf, refuse } = useSending(
    (called: string) => parseResponse(api.searches.$post({ json: { name: called, ...searchOf(place) } })),
    (saved) => {
      void refreshSearches(queries);
      notify({ type: 'info', message: t('searches.done', { name: saved.name }) });
      onDone();
    },
    useRefusals(),
  );
  const submit = () => {
    if (busy) return;
    if (name.trim() === '') refuse([{ field: 'name', code: 'required' }]);
    else send(name);
  };
  return (
    <Form label={t('searches.saveThis')} errors={errors} onSubmit={submit}>
      <TextField
        name="name"
        label={t('searches.saveThis')}
        placeholder={t('searches.name')}
        value={name}
        onChange={setName}
        error={errorOf('name')}
        maxLength={searchLimits.name}
        autoComplete="off"
        data-autofocus
      />
      <Actions>
        <Button type="submit" look="primary" busy={busy}>
          {t('searches.save')}
        </Button>
      </Actions>
    </Form>
  );
}

interface RowProps {
  search: SearchView;
  here: Place;
  current: boolean;
  fresh: number;
  onOpen: () => void;
  onGone: () => void;
}

function Row({ search, here, current, fresh, onOpen, onGone }: RowProps) {
  const { t } = useTranslation(['finding', 'library']);
  const api = useApi();
  const queries = useQueryClient();
  const [renaming, setRenaming] = useState(false);
  const remove = useRemoveSearch(search, onGone);
  const look = useMutation({
    mutationFn: () => api.searches[':id'].look.$post({ param: { id: search.id } }),
    // The results show all the same.
    meta: { quiet: true },
    onSuccess: () => forgetFresh(queries, search.id),
  });
  const { name, place } = search;
  if (renaming) return <RenameForm search={search} onDone={() => setRenaming(false)} />;
  return (
    <li className={styles.item}>
      <div className={styles.words}>
        <span className={styles.head}>
          {place ? (
            <Link
              to={addressOfSearch(here, search)}
              aria-current={current ? 'page' : undefined}
              onClick={() => {
                look.mutate();
                onOpen();
              }}
            >
              {name}
            </Link>
          ) : (
            <span>{name}</span>
          )}
          {fresh > 0 && <Chip tone="accent">{t('finding:searches.fresh', { count: fresh })}</Chip>}
        </span>
        <Facts search={search} />
      </div>
      <div className={styles.actions}>
        <IconButton
          label={t('finding:searches.renameOf', { name })}
          icon={<IconPencil {...icon} />}
          onClick={() => setRenaming(true)}
        />
        <IconButton
          label={t('finding:searches.deleteOf', { name })}
          icon={<IconTrash {...icon} />}
          onClick={() => remove.mutate()}
        />
      </div>
    </li>
  );
}

/** Parts of a search besides its name. */
function Facts({ search: { name, query, filters, shared, place } }: Pick<RowProps, 'search'>) {
  const { t } = useTranslation(['finding', 'library']);
  const count = Object.keys(filters).length;
  const facts = place
    ? [
        query !== '' && query !== name && t('finding:searches.query', { query }),
        count > 0 && t('finding:searches.filters', { count }),
        place.name,
        shared && t('library:shared.title'),
      ]
    : [t('finding:searches.gone')];
  const said = facts.filter((one) => typeof one === 'string' && one !== '');
  return said.length > 0 && <span className={styles.facts}>{said.join(' · ')}</span>;
}

const focusField = (row: HTMLLIElement | null) => row?.querySelector('input')?.focus();

function RenameForm({ search: { id, name }, onDone }: { search: SearchView; onDone: () => void }) {
  const { t } = useTranslation(['finding', 'library', 'common']);
  const api = useApi();
  const queries = useQueryClient();
  const [typed, setTyped] = useState(name);
  const { send, busy, errors, errorOf, refuse } = useSending(
    (to: string) => parseResponse(api.searches[':id'].$put({ param: { id }, json: { name: to } })),
    () => void refreshSearches(queries).then(onDone),
    useRefusals(),
  );
  const submit = () => {
    if (busy) return;
    if (typed.trim() === '') refuse([{ field: 'name', code: 'required' }]);
    else send(typed);
  };
  return (
    <li ref={focusField} className={styles.item}>
      <div className={styles.words}>
        <Form label={t('finding:searches.renameOf', { name })} errors={errors} onSubmit={submit}>
          <TextField
            name="name"
            label={t('finding:searches.name')}
            value={typed}
            onChange={setTyped}
            error={errorOf('name')}
            maxLength={searchLimits.name}
            autoComplete="off"
          />
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

/** Deletes a search at once, with Undo in the notice. */
function useRemoveSearch({ id, name, query, filters, sort, shared, place }: SearchView, onGone: () => void) {
  const { t } = useTranslation(['finding', 'library']);
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const refresh = () => refreshSearches(queries);
  const again = useMutation({
    mutationFn: ({ folder, sid }: NonNullable<SearchView['place']>) =>
      parseResponse(api.searches.$post({ json: { name, query, filters, sort, shared, folder, sid } })),
    onSuccess: async () => {
      await refresh();
      notify({ type: 'info', message: t('finding:searches.done', { name }) });
    },
  });
  return useMutation({
    mutationFn: () => api.searches[':id'].$delete({ param: { id } }),
    onSuccess: async () => {
      await refresh();
      onGone();
      const said = t('finding:searches.deleted', { name });
      // Without its folder it found nothing.
      if (!place) return notify({ type: 'info', message: said });
      const undo = { kind: 'clickable' as const, text: t('library:undo'), onClick: () => again.mutate(place) };
      return notify({ type: 'info', message: [said, ' ', undo], duration: undoFor });
    },
  });
}
