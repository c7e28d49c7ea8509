import { Link } from 'react-router-dom';

import { paths } from '../paths.ts';
import { LanguageSelect } from '../ui/language-select.tsx';
import { Mark } from '../ui/mark.tsx';
import { SchemeSwitch } from '../ui/scheme-switch.tsx';
import { useTranslation } from '../use-translation.ts';
import { AccountMenu } from './account-menu.tsx';
import styles from './app-layout.module.css';

/** Header of every page but a recording's. */
export function AppHeader() {
  const { t } = useTranslation('common');
  return (
    <header className={styles.top}>
      <Link to={paths.home} className={styles.name}>
        <Mark size={24} />
        {t('appName')}
      </Link>
      <div className={styles.tools}>
        <LanguageSelect />
        <SchemeSwitch />
        <span data-tour="account">
          <AccountMenu />
        </span>
      </div>
    </header>
  );
}
