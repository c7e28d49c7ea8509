import type { ReactNode } from 'react';

import { UnsentHere } from '../../meetings/page/meeting.tsx';
import { AppHeader } from '../../shell/app-header.tsx';
import { PageTitle } from '../../ui/page-title.tsx';
import { mainId } from '../../ui/skip-link.tsx';
import styles from './peer.module.css';

interface AsideProps {
  title: string;
  children: ReactNode;
  action: ReactNode;
  /** Layer that was open before: words begun in it are offered here. */
  of?: string | null;
}

/** Page that says why no assessment is shown, and what can be done. */
export function Aside({ title, children, action, of = null }: AsideProps) {
  return (
    <>
      <AppHeader />
      <main id={mainId} tabIndex={-1} className={styles.aside}>
        <PageTitle lead={children}>{title}</PageTitle>
        {action}
        {of !== null && <UnsentHere id={of} />}
      </main>
    </>
  );
}
