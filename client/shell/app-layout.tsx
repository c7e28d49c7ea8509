import { useTranslation } from 'react-i18next';
import { Link, Outlet } from 'react-router-dom';

import { Unconfirmed } from '../accounts/unconfirmed.tsx';
import { useProfileLanguage } from '../language.ts';
import { AccountMenu } from './account-menu.tsx';
import styles from './app-layout.module.css';
import { LanguageSelect } from '../ui/language-select.tsx';
import { Mark } from '../ui/mark.tsx';
import { SchemeSwitch } from '../ui/scheme-switch.tsx';
import { mainId } from '../ui/skip-link.tsx';

export function AppLayout() {
  const { t } = useTranslation(['common', 'shell']);
  useProfileLanguage();
  return (
    <div className={styles.page}>
      <header className={styles.top}>
        <Link to="/" className={styles.name}>
          <Mark size={24} />
          {t('common:appName')}
        </Link>
        <div className={styles.tools}>
          <LanguageSelect />
          <SchemeSwitch />
          <AccountMenu />
        </div>
      </header>
      <Unconfirmed />
      <main id={mainId} tabIndex={-1} className={styles.main}>
        <Outlet />
      </main>
    </div>
  );
}
