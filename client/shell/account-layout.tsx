import { IconMenu2 } from '@tabler/icons-react';
import { useState } from 'react';
import { NavLink, Outlet, useLocation } from 'react-router-dom';

import { accountPages, paths } from '../paths.ts';
import styles from './account-layout.module.css';
import { Button } from '../ui/button.tsx';
import { SwipeDrawer } from '../ui/swipe-drawer.tsx';
import { usePhone } from '../ui/use-phone.ts';
import { useTranslation } from '../use-translation.ts';

/** Account area: navigation beside the content, on a phone in a drawer. */
export function AccountLayout() {
  const { t } = useTranslation('shell');
  const phone = usePhone();
  const { pathname } = useLocation();
  const isWide = pathname.startsWith(paths.teams) || pathname === paths.transactions;
  // The drawer closes on navigation, because it belongs to the page it was opened on.
  const [openedOn, setOpenedOn] = useState<string | null>(null);

  const menu = (
    <nav className={styles.menu} aria-label={t('accountMenu')}>
      {accountPages.map(({ path, label, icon: Icon }) => (
        <NavLink key={path} to={path} end className={() => styles.entry}>
          <Icon size={20} stroke={1.5} aria-hidden="true" />
          {t(label)}
        </NavLink>
      ))}
    </nav>
  );

  return (
    <div className={styles.layout}>
      {phone ? (
        <>
          <div className={styles.opener}>
            <Button
              look="quiet"
              icon={<IconMenu2 size={20} stroke={1.5} aria-hidden="true" />}
              onClick={() => setOpenedOn(pathname)}
            >
              {t('accountMenu')}
            </Button>
          </div>
          <SwipeDrawer
            label={t('accountMenu')}
            opened={openedOn === pathname}
            onOpen={() => setOpenedOn(pathname)}
            onClose={() => setOpenedOn(null)}
          >
            {menu}
          </SwipeDrawer>
        </>
      ) : (
        menu
      )}
      <div className={styles.content} data-wide={isWide || undefined}>
        <Outlet />
      </div>
    </div>
  );
}
