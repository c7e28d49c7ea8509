import { useMutation, useQueryClient } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useEffect, useId, useRef, useState } from 'react';

import { longestReplacement, mostFixes } from '#shared/finding/fix.ts';
import type { FindsAnswer, FixAnswer, FoundPlace } from '#shared/finds.ts';

import { useApi } from '../api.ts';
import { undoFor } from '../library/folders-query.ts';
import { listKey } from '../library/meetings-query.ts';
import { useNotify } from '../store.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { failureMessage } from '../ui/failure-message.ts';
import { TextField, Tick } from '../ui/field.tsx';
import { Actions, Form } from '../ui/form.tsx';
import { clockTime } from '../ui/times.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './fix-dialog.module.css';
import { actionsKey, useUndo } from './use-undo.ts';

type Recordings = ReadonlyMap<string, FindsAnswer['recordings'][number]>;

interface FixProps {
  query: string;
  /** Words that are to replace them, as another page proposes. */
  wanted: string;
  places: readonly FoundPlace[];
  recordings: Recordings;
  /** Loads further places; null when all are there. */
  loadMore: (() => void) | null;
  loadFailed: boolean;
}

/** Places of words that are said, in recordings that the person may change. */
export const fixable = (places: readonly FoundPlace[], recordings: Recordings): FoundPlace[] =>
  places.filter(
    (one) => one.kind === 'words' && one.segment !== null && recordings.get(one.recording)?.writes === true,
  );

const keyOf = ({ recording, segment, start, before, words, after }: FoundPlace): string =>
  JSON.stringify([recording, segment, start, before, words, after]);

/** Replaces the words that were searched for, wherever they stay chosen. */
export default function FixDialog({ opened, onClose, ...props }: FixProps & { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('finding');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('fix.title')} size="lg" keepOnBackdrop>
      <Fixing {...props} onClose={onClose} />
    </Dialog>
  );
}

function Fixing({
  query,
  wanted,
  places,
  recordings,
  loadMore,
  loadFailed,
  onClose,
}: FixProps & { onClose: () => void }) {
  const { t } = useTranslation(['finding', 'common']);
  const { t: told } = useTranslation(['common', 'shell']);
  const id = useId();
  const [to, setTo] = useState(wanted);
  const [without, setWithout] = useState<ReadonlySet<string>>(new Set());
  const all = fixable(places, recordings).slice(0, mostFixes);
  const loading = loadMore !== null && !loadFailed && all.length < mostFixes;
  useEffect(() => {
    if (loading) loadMore();
  }, [loading, loadMore]);
  const chosen = all.filter((one) => !without.has(keyOf(one)));
  const { fix, done } = useFix(query, onClose);
  const replacement = to.trim();
  if (fix.data && fix.data.failed.length > 0)
    return <Outcome answer={fix.data} recordings={recordings} onClose={onClose} />;
  const tick = (some: readonly FoundPlace[], on: boolean) => {
    const next = new Set(without);
    for (const one of some)
      if (on) next.delete(keyOf(one));
      else next.add(keyOf(one));
    setWithout(next);
  };
  const left = new Set(
    places.flatMap(({ kind, recording }) =>
      kind === 'words' && recordings.get(recording)?.writes === false ? [recording] : [],
    ),
  ).size;
  const ready = replacement !== '' && chosen.length > 0 && !loading;
  return (
    <Form
      label={t('fix.title')}
      errors={fix.error ? [failureMessage(fix.error, told)] : none}
      onSubmit={() => ready && !fix.isPending && fix.mutate({ replacement, chosen })}
    >
      <TextField
        label={t('fix.to')}
        hint={t('fix.toHint')}
        value={to}
        onChange={setTo}
        maxLength={longestReplacement}
        autoComplete="off"
        data-autofocus
      />
      <label className={styles.all} htmlFor={id}>
        <Tick
          id={id}
          aria-label={t('fix.all')}
          checked={chosen.length === all.length}
          onChange={({ currentTarget }) => tick(all, currentTarget.checked)}
        />
        <span role="status">
          {done !== null
            ? t('fix.done', { count: done })
            : loading
              ? t('fix.loading', { count: all.length })
              : t('fix.chosen', { count: chosen.length, all: all.length })}
        </span>
      </label>
      <ul className={styles.places} aria-label={t('fix.list')} tabIndex={-1}>
        {all.map((one, nth) => (
          <li key={keyOf(one)}>
            <label className={styles.place} htmlFor={`${id}-${nth}`}>
              <Tick
                id={`${id}-${nth}`}
                aria-label={`${one.before}${one.words}${one.after}`}
                checked={!without.has(keyOf(one))}
                onChange={({ currentTarget }) => tick([one], currentTarget.checked)}
              />
              <span>
                <span className={styles.of}>
                  {recordings.get(one.recording)?.title}
                  {one.start !== null && ` · ${clockTime(one.start * 1000)}`}
                </span>
                <span className={styles.words}>
                  {one.before}
                  <del>{one.words}</del> {replacement !== '' && <ins>{replacement}</ins>}
                  {one.after}
                </span>
              </span>
            </label>
          </li>
        ))}
      </ul>
      {loadFailed && <p role="alert">{t('places.failed')}</p>}
      {all.length === mostFixes && loadMore !== null && <p>{t('fix.first', { count: mostFixes })}</p>}
      {left > 0 && <p>{t('fix.left', { count: left })}</p>}
      <Actions>
        <Button look="quiet" onClick={onClose}>
          {t('common:cancel')}
        </Button>
        <Button type="submit" look="primary" busy={fix.isPending} disabled={!ready}>
          {t('fix.submit', { count: chosen.length })}
        </Button>
      </Actions>
    </Form>
  );
}

const none: readonly string[] = [];

/** Recordings of one request: all of them at once could take longer than a connection is kept. */
const atOnce = 20;

interface Begun extends FixAnswer {
  replacement: string;
  /** Recordings that were answered for. */
  answered: Set<string>;
  /** The dialog was closed before all were. */
  stopped: boolean;
}

const begin = (replacement: string): Begun => ({
  ...{ replacement, answered: new Set(), fixed: 0, recordings: 0, failed: [], action: null, stopped: false },
});

/** Replaces places recording by recording, as one action; after a request that failed it continues where it stopped. */
function useFix(query: string, onDone: () => void) {
  const { t } = useTranslation('finding');
  const { t: told } = useTranslation(['common', 'shell']);
  const api = useApi();
  const queries = useQueryClient();
  const notify = useNotify();
  const undo = useUndo();
  const begun = useRef(begin(''));
  const [done, setDone] = useState<number | null>(null);
  const isClosed = useRef(false);
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
    };
  }, []);
  const fix = useMutation({
    mutationFn: async ({ replacement, chosen }: { replacement: string; chosen: readonly FoundPlace[] }) => {
      if (begun.current.replacement !== replacement) begun.current = begin(replacement);
      const all = begun.current;
      const recordings = new Set(chosen.map(({ recording }) => recording));
      for (const turn of turnsOf([...recordings].filter((one) => !all.answered.has(one)))) {
        // Closing the dialog stops before the next recordings.
        if (isClosed.current) {
          all.stopped = true;
          break;
        }
        const places = chosen
          .filter(({ recording }) => turn.has(recording))
          .map(({ recording, segment, start, before, words, after }) => ({
            ...{ recording, segment: segment ?? '', start, before, words, after },
          }));
        const json = { query, replacement, places, ...(all.action === null ? {} : { action: all.action }) };
        const answer = await parseResponse(api.finds.fix.$post({ json }));
        for (const recording of turn) all.answered.add(recording);
        all.fixed += answer.fixed;
        all.recordings += answer.recordings;
        all.failed.push(...answer.failed);
        all.action = answer.action;
        setDone(all.fixed);
      }
      return all;
    },
    meta: { quiet: true },
    onSuccess: ({ failed }) => {
      if (failed.length === 0 && !isClosed.current) onDone();
    },
    onError: (error) => {
      if (isClosed.current) notify({ message: failureMessage(error, told) });
    },
    onSettled: () => {
      setDone(null);
      const { fixed, action, stopped } = begun.current;
      if (action !== null)
        notify({
          type: 'info',
          message: [
            stopped ? `${t('fix.stopped')} ` : '',
            t('fix.done', { count: fixed }),
            ' ',
            { kind: 'clickable', text: t('actions.undo'), onClick: () => undo.mutate(action) },
          ],
          duration: undoFor,
        });
      return Promise.all([listKey, actionsKey].map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  return { fix, done };
}

const turnsOf = (recordings: readonly string[]): Set<string>[] =>
  Array.from(
    { length: Math.ceil(recordings.length / atOnce) },
    (_, nth) => new Set(recordings.slice(nth * atOnce, (nth + 1) * atOnce)),
  );

const reasons = {
  CONFLICT: 'fix.reason.changed',
  CLOSED: 'fix.reason.closed',
  NO_PERM: 'fix.reason.refused',
  NO_ACCESS: 'fix.reason.refused',
  BIG: 'fix.reason.other',
  UNAVAILABLE: 'fix.reason.other',
  UNSAVED: 'fix.reason.other',
} as const;

/** Recordings that Fix all left as they were, each with the reason. */
function Outcome({
  answer: { fixed, failed },
  recordings,
  onClose,
}: {
  answer: FixAnswer;
  recordings: Recordings;
  onClose: () => void;
}) {
  const { t } = useTranslation(['finding', 'library', 'common']);
  return (
    <Form onSubmit={onClose}>
      <p>{t('fix.done', { count: fixed })}</p>
      <p>{t('fix.not')}</p>
      <ul className={styles.failed}>
        {failed.map(({ recording, places, code }) => (
          <li key={`${recording} ${code}`}>
            <strong>{recordings.get(recording)?.title || t('library:untitled')}</strong>
            {' – '}
            {t('fix.places', { count: places })}: {t(reasons[code])}
          </li>
        ))}
      </ul>
      <Actions>
        <Button type="submit" look="primary" data-autofocus>
          {t('common:close')}
        </Button>
      </Actions>
    </Form>
  );
}
