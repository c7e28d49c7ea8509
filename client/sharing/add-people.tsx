import { useQuery } from '@tanstack/react-query';
import { parseResponse } from 'hono/client';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { emailKey, limits, type FoundPrincipal } from '#shared/accounts.ts';
import type { Role } from '#shared/roles.ts';
import { grantOf, searchPause, type AclEntry, type EntryInput } from '#shared/sharing.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { fullName, useSession } from '../session.ts';
import { Avatar } from '../ui/avatar.tsx';
import { GroupMark } from './group-mark.tsx';
import { RoleSelect } from './role-select.tsx';
import styles from './sharing.module.css';

/** Finds the person's teams and contacts, and invites by e-mail address. */
export function AddPeople({
  entries,
  ownerId,
  busy,
  onAdd,
}: {
  entries: readonly AclEntry[];
  ownerId: string;
  busy: boolean;
  /** Resolves to false where nothing was shared. */
  onAdd: (entry: EntryInput, name: string, invited: boolean) => Promise<boolean>;
}) {
  const { t } = useTranslation('sharing');
  const id = useId();
  const me = useSession().data?.principal.id;
  const [typed, setTyped] = useState('');
  const [role, setRole] = useState<Role>('canEdit');
  const [at, setAt] = useState(0);
  const [closed, setClosed] = useState(false);
  const wanted = useSettled(typed.trim());
  const enough = wanted.length >= limits.searchMin && typed.trim().length >= limits.searchMin;
  const { data: found = [], error, isFetching, refetch } = useFound(enough ? wanted : null);
  const hits = enough ? found.filter((one) => one.id !== me && one.id !== ownerId) : [];
  const open = enough && !closed && !error && (hits.length > 0 || !isFetching);
  const named = (one: FoundPrincipal) =>
    entries.some(({ principal }) =>
      one.kind !== 'pending'
        ? principal.id === one.id
        : principal.email !== null && emailKey(principal.email) === emailKey(one.email),
    );
  const active = Math.min(at, hits.length - 1);
  const field = useRef<HTMLInputElement>(null);
  // The dialog opens before its list is loaded. Not on a phone, where the keyboard would cover the list.
  useEffect(() => {
    if (window.matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, []);
  const optionId = (place: number) => `${id}-${place}`;

  const take = (one: FoundPrincipal | undefined) => {
    if (!one || busy || named(one)) return;
    const principal =
      one.kind === 'group'
        ? { id: one.id, kind: one.kind }
        : one.kind === 'user'
          ? { id: one.id, kind: one.kind, email: one.email }
          : { id: -1, kind: one.kind, email: one.email };
    void onAdd({ principal, permissions: grantOf(role) }, nameOf(one), one.kind === 'pending').then((done) => {
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
        {t('add.label')}
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
            maxLength={limits.emailLength}
            aria-expanded={open}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-describedby={`${id}-hint`}
            aria-activedescendant={open && hits.length > 0 ? optionId(active) : undefined}
            ref={field}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              setClosed(false);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
            onBlur={() => setClosed(true)}
            onFocus={() => setClosed(false)}
          />
          <div id={`${id}-list`} role="listbox" aria-label={t('add.label')} className={styles.found} hidden={!open}>
            {hits.map((one, place) => (
              <div
                key={`${one.kind} ${one.id} ${one.kind === 'group' ? '' : one.email}`}
                id={optionId(place)}
                role="option"
                tabIndex={-1}
                aria-selected={place === active}
                aria-disabled={named(one) || undefined}
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
                {named(one) && <span className={styles.note}>{t('add.has')}</span>}
              </div>
            ))}
            {hits.length === 0 && <p className={styles.none}>{t('add.none')}</p>}
          </div>
        </div>
        <RoleSelect label={t('add.role')} value={role} onChange={setRole} />
      </div>
      <p id={`${id}-hint`} className={styles.hint}>
        {isFetching ? t('add.searching') : t('add.hint')}
      </p>
      <p className={styles.unseen} role="status">
        {open ? t('add.found', { count: hits.length }) : ''}
      </p>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
    </div>
  );
}

const nameOf = (one: FoundPrincipal): string => (one.kind === 'group' ? one.name : fullName(one));

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
