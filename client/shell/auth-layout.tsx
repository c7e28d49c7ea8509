import { Link, Outlet } from 'react-router-dom';

import { useAskSupport } from '../support/use-ask-support.ts';
import { Button } from '../ui/button.tsx';
import styles from './auth-layout.module.css';
import { LanguageSelect } from '../ui/language-select.tsx';
import { Mark } from '../ui/mark.tsx';
import { SchemeSwitch } from '../ui/scheme-switch.tsx';
import { mainId } from '../ui/skip-link.tsx';
import { useTranslation } from '../use-translation.ts';

/** One column for the pages before sign-in. */
export function AuthLayout() {
  const { t } = useTranslation(['common', 'support']);
  const askSupport = useAskSupport();
  return (
    <div className={styles.page}>
      <header className={styles.top}>
        <Link to="/" className={styles.name}>
          <Mark size={28} />
          {t('common:appName')}
        </Link>
        <div className={styles.tools}>
          <LanguageSelect />
          <SchemeSwitch />
        </div>
      </header>
      <main id={mainId} tabIndex={-1} className={styles.column}>
        <Outlet />
      </main>
      <footer className={styles.foot}>
        <Button look="quiet" onClick={askSupport}>
          {t('support:title')}
        </Button>
      </footer>
    </div>
  );
}
