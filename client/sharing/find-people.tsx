import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';

import type { FoundPrincipal } from '#shared/accounts.ts';
import { longestEmail } from '#shared/email.ts';
import { searchMin, searchPause } from '#shared/people-search.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { fullName } from '../session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { useTranslation } from '../use-translation.ts';
import { GroupMark } from './group-mark.tsx';
import styles from './sharing.module.css';

interface FindPeopleProps {
  label: string;
  hint: string;
  error?: string | undefined;
  busy?: boolean;
  /** Text in the field, where it outlives the field. */
  typing?: [typed: string, onTyped: (change: (now: string) => string) => void];
  /** Takes the focus with the page, where no keyboard comes with it. */
  focused?: boolean;
  /** False for principals that are never offered. */
  offers: (one: FoundPrincipal) => boolean;
  /** Reason not to take a principal; null for none. */
  without: (one: FoundPrincipal) => string | null;
  /** Resolves to false where nothing was done with it. */
  onTake: (one: FoundPrincipal) => boolean | Promise<boolean>;
  /** Control at the end of the field. */
  children?: ReactNode;
}

/** Field that finds the person's contacts and teams, and takes e-mail addresses. */
export function FindPeople({
  label,
  hint,
  error: wrong,
  busy = false,
  typing,
  focused = false,
  offers,
  without,
  onTake,
  children,
}: FindPeopleProps) {
  const { t } = useTranslation('sharing');
  const id = useId();
  const own = useState('');
  const [typed, setTyped] = typing ?? own;
  const [at, setAt] = useState(0);
  const [closed, setClosed] = useState(false);
  const wanted = useSettled(typed.trim());
  const enough = wanted.length >= searchMin && typed.trim().length >= searchMin;
  const { data: found = [], error, isFetching, refetch } = useFound(enough ? wanted : null);
  const hits = enough ? found.filter(offers) : [];
  const open = enough && !closed && !error && (hits.length > 0 || !isFetching);
  const active = Math.min(at, hits.length - 1);
  const field = useRef<HTMLInputElement>(null);
  // The dialog opens before its list is loaded. Not on a phone, where the keyboard would cover the list.
  useEffect(() => {
    if (focused && window.matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, [focused]);
  const optionId = (place: number) => `${id}-${place}`;

  const take = (one: FoundPrincipal | undefined) => {
    if (!one || busy || without(one) !== null) return;
    void Promise.resolve(onTake(one)).then((done) => {
      // The text may have changed meanwhile.
      if (done) setTyped((now) => (now === typed ? '' : now));
    });
    setClosed(true);
    setAt(0);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      // These results belong to an older text.
      if (typed.trim() === wanted && !isFetching) take(hits[active]);
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (hits.length === 0) return;
      event.preventDefault();
      setClosed(false);
      setAt((active + (event.key === 'ArrowDown' ? 1 : hits.length - 1)) % hits.length);
    } else if (event.key === 'Escape' && open) {
      // Escape closes only the list, not the dialog.
      event.stopPropagation();
      setClosed(true);
    }
  };
  return (
    <div className={styles.add}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      <div className={styles.adding}>
        <div className={styles.search}>
          <input
            id={id}
            className={styles.input}
            type="text"
            role="combobox"
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            maxLength={longestEmail}
            aria-expanded={open}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-describedby={wrong === undefined ? `${id}-hint` : `${id}-wrong ${id}-hint`}
            aria-invalid={wrong !== undefined || undefined}
            aria-activedescendant={open && hits.length > 0 ? optionId(active) : undefined}
            ref={field}
            value={typed}
            onChange={({ target }) => {
              setTyped(() => target.value);
              setClosed(false);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
            onBlur={() => setClosed(true)}
            onFocus={() => setClosed(false)}
          />
          <div id={`${id}-list`} role="listbox" aria-label={label} className={styles.found} hidden={!open}>
            {hits.map((one, place) => (
              <div
                key={`${one.kind} ${one.id} ${one.kind === 'group' ? '' : one.email}`}
                id={optionId(place)}
                role="option"
                tabIndex={-1}
                aria-selected={place === active}
                aria-disabled={without(one) !== null || undefined}
                className={styles.option}
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => take(one)}
              >
                {one.kind === 'pending' ? (
                  <span>{t('add.invite', { email: one.email })}</span>
                ) : one.kind === 'group' ? (
                  <>
                    <GroupMark small />
                    <span className={styles.who}>
                      <span>{one.name}</span>
                      <span className={styles.address}>{t('members', { count: one.members })}</span>
                    </span>
                  </>
                ) : (
                  <>
                    <Avatar name={fullName(one)} id={String(one.id)} size={24} />
                    <span className={styles.who}>
                      <span>{fullName(one)}</span>
                      <span className={styles.address}>{one.email}</span>
                    </span>
                  </>
                )}
                {without(one) !== null && <span className={styles.note}>{without(one)}</span>}
              </div>
            ))}
            {hits.length === 0 && <p className={styles.none}>{t('add.none')}</p>}
          </div>
        </div>
        {children}
      </div>
      {wrong !== undefined && (
        <p id={`${id}-wrong`} className={styles.wrong}>
          {wrong}
        </p>
      )}
      <p id={`${id}-hint`} className={styles.hint}>
        {isFetching ? t('add.searching') : hint}
      </p>
      <p className={styles.unseen} role="status">
        {open ? t('add.found', { count: hits.length }) : ''}
      </p>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
    </div>
  );
}

/** The text after a pause in typing. */
function useSettled(typed: string): string {
  const [settled, setSettled] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(typed), searchPause);
    return () => clearTimeout(timer);
  }, [typed]);
  return settled;
}

function useFound(text: string | null) {
  const api = useApi();
  return useQuery({
    queryKey: ['principals', text],
    queryFn: async ({ signal }) => {
      const asked = api.principals.search.$post({ json: { text: text ?? '' } }, { init: { signal } });
      return (await parseResponse(asked)).principals;
    },
    enabled: text !== null,
    gcTime: 0,
  });
}
