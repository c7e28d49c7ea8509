import { useQueryClient } from '@tanstack/react-query';
import { useAtomValue } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

import { useApi } from '../api.ts';
import { Failure } from '../errors/failure.tsx';
import { paths } from '../paths.ts';
import { sessionKey } from '../session.ts';
import { unsavedAtom, useConfirm } from '../store.ts';
import { ButtonLink } from '../ui/button.tsx';
import { PageTitle } from '../ui/page-title.tsx';
import styles from './sign-in.module.css';

/** Choices of this browser, not of the person: they outlast the clearing of everything else. */
const browserChoices = ['colloquy-language', 'mantine-color-scheme-value'];

function keepChoices(): () => void {
  try {
    const kept = browserChoices.map((name) => [name, localStorage.getItem(name)] as const);
    return () => {
      for (const [name, value] of kept) if (value !== null) localStorage.setItem(name, value);
    };
  } catch {
    return () => undefined;
  }
}

type State = 'asking' | 'leaving' | 'left' | 'stayed' | { error: unknown };

export default function Logout() {
  const { t } = useTranslation('signIn');
  const api = useApi();
  const queries = useQueryClient();
  const confirm = useConfirm();
  const unsaved = useAtomValue(unsavedAtom);
  const [state, setState] = useState<State>('asking');
  const started = useRef(false);

  const leave = async () => {
    setState('leaving');
    try {
      const restore = keepChoices();
      await api.logout.$post();
      restore();
      // What the next person at this machine must not find; who is here is asked anew.
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
      if (unsaved > 0 && !(await confirm(question))) setState('stayed');
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
