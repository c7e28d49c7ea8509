import { useQueryClient } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router-dom';

import type { SessionInfo } from '#shared/accounts.ts';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { paths } from '../paths.ts';
import { sessionKey } from '../session.ts';
import { unsavedAtom, useConfirm } from '../store.ts';
import { useForget } from '../stores.ts';
import { ButtonLink } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import { useTranslation } from '../use-translation.ts';
import { logOutHere, unsentOf } from './leave-here.ts';
import styles from './sign-in.module.css';

type State = 'asking' | 'leaving' | 'left' | 'stayed' | { error: unknown };

export default function Logout() {
  const { t } = useTranslation('signIn');
  const api = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const unsaved = useAtomValue(unsavedAtom);
  const forget = useForget();
  const [state, setState] = useState<State>('asking');
  const started = useRef(false);

  const whoLeaves = async (): Promise<string | null> => {
    // Opened by its address, the page may not have the session yet.
    await queries.refetchQueries({ queryKey: sessionKey });
    const known = queries.getQueryData<SessionInfo>(sessionKey)?.principal;
    return known?.kind === 'user' ? String(known.id) : null;
  };

  const leave = async () => {
    setState('leaving');
    try {
      const userId = await whoLeaves();
      await logOutHere(api, userId);
      forget();
      // The next person at this machine must not find any of it; the session is loaded anew.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
      await queries.refetchQueries({ queryKey: sessionKey });
      setState('left');
    } catch (error) {
      setState({ error });
    }
  };

  useEffect(() => {
    if (started.current) return;
    started.current = true;
    void (async () => {
      const question = {
        title: t('logout.unsavedTitle'),
        text: t('logout.unsavedText'),
        action: t('logout.action'),
        danger: true,
      };
      const userId = await whoLeaves();
      const unsent = userId === null ? 0 : await unsentOf(userId);
      if ((unsaved > 0 || unsent > 0) && !(await confirm(question))) setState('stayed');
      else await leave();
    })();
    // Once, when the screen opens.
  });

  if (typeof state === 'object') {
    return (
      <Failure error={state.error} onRetry={() => void leave()}>
        {t('logout.failed')}
      </Failure>
    );
  }
  if (state === 'stayed') {
    return (
      <>
        <PageTitle>{t('logout.stayed')}</PageTitle>
        <ButtonLink to={paths.home}>{t('home')}</ButtonLink>
      </>
    );
  }
  if (state !== 'left') return <PageTitle>{t('logout.busy')}</PageTitle>;
  return (
    <>
      <PageTitle>{t('logout.done')}</PageTitle>
      <ButtonLink to={paths.login} look="primary" wide>
        {t('logout.again')}
      </ButtonLink>
      <p className={styles.links}>
        <Link to={paths.forgot}>{t('forgotLink')}</Link>
      </p>
    </>
  );
}
