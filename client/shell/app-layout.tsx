import { Outlet } from 'react-router-dom';

import { Unconfirmed } from '../accounts/unconfirmed.tsx';
import { useProfileLanguage } from '../language.ts';
import { mainId } from '../ui/skip-link.tsx';
import { AppHeader } from './app-header.tsx';
import styles from './app-layout.module.css';

export function AppLayout() {
  useProfileLanguage();
  return (
    <div className={styles.page}>
      <AppHeader />
      <Unconfirmed />
      <main id={mainId} tabIndex={-1} className={styles.main}>
        <Outlet />
      </main>
    </div>
  );
}
