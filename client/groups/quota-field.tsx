import { useEffect, useEffectEvent, useRef, useState } from 'react';

import type { MemberView } from '#shared/groups.ts';
import { parseCredits } from '#shared/money.ts';

import { ApiError } from '../api.ts';
import { useUnsaved } from '../store.ts';
import { useTranslation } from '../use-translation.ts';
import { creditsIn, creditsTyped } from './credits.ts';
import { useFaults, useMemberChanges } from './groups-query.ts';
import styles from './groups.module.css';

/** Milliseconds after the last key until a quota is saved. */
const pause = 1500;

type State = 'still' | 'waiting' | 'saving' | 'saved' | 'wrong';

interface QuotaFieldProps {
  /** Team of the member. */
  id: string;
  member: MemberView;
  name: string;
}

/** Quota field of a member: saves a moment after the last key, and on leaving the field. */
export function QuotaField({ id, member, name }: QuotaFieldProps) {
  const { t, i18n } = useTranslation('groups');
  const { put } = useMemberChanges(id);
  const say = useFaults();
  const [state, setState] = useState<State>('still');
  const [fault, setFault] = useState('');
  const shown = member.quotaDefault ? '' : creditsTyped(i18n.language, member.quota ?? null);
  const [typed, setTyped] = useState<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const value = typed ?? shown;
  useUnsaved(`quota of ${member.id}`, state === 'waiting' || state === 'saving' || state === 'wrong' ? 1 : 0);

  const save = () => {
    clearTimeout(timer.current);
    if (state !== 'waiting') return;
    const quota = value.trim();
    if (quota !== '' && parseCredits(quota) === null) {
      setFault(t('fault.amount'));
      setState('wrong');
      return;
    }
    if (quota === shown) {
      setState('still');
      return;
    }
    setState('saving');
    put.mutate(
      { member: member.id, quota: quota === '' ? null : quota },
      {
        onSuccess: () => {
          // Text typed meanwhile is saved next.
          setState((now) => (now === 'saving' ? 'saved' : now));
          setTyped((now) => (now?.trim() === quota ? null : now));
        },
        onError: (error) => {
          if (error instanceof ApiError && error.status === 401) return;
          setFault(say(error));
          setState('wrong');
        },
      },
    );
  };
  const saveLast = useEffectEvent(save);
  useEffect(() => {
    if (state !== 'waiting') return undefined;
    timer.current = setTimeout(() => saveLast(), pause);
    return () => clearTimeout(timer.current);
  }, [state, typed]);

  const fallback = member.quotaDefault && member.quota != null ? creditsTyped(i18n.language, member.quota) : '';
  const words = `quota-${member.id}`;
  return (
    <span className={styles.quota}>
      <input
        className={styles.amount}
        aria-label={t('quota.of', { name })}
        aria-describedby={words}
        aria-invalid={state === 'wrong' || undefined}
        inputMode="decimal"
        autoComplete="off"
        maxLength={12}
        placeholder={fallback === '' ? t('quota.none') : t('quota.byDefault', { quota: fallback })}
        value={value}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setState('waiting');
        }}
        onBlur={save}
        onKeyDown={(event) => {
          if (event.key === 'Enter') save();
          if (event.key !== 'Escape' || state === 'saving') return;
          setTyped(null);
          setState('still');
        }}
      />
      <span id={words} className={styles.quotaState} data-wrong={state === 'wrong' || undefined} role="status">
        {state === 'wrong' ? fault : state === 'still' ? usedOf(member) : t(`quota.${state}`)}
      </span>
    </span>
  );

  function usedOf({ used = 0 }: MemberView): string {
    return t('quota.used', { used: creditsIn(i18n.language, used) });
  }
}
