import { IconArrowBackUp, IconClipboardCheck, IconFolder, IconTag, IconTrash, IconUsers } from '@tabler/icons-react';
import { Link, useLocation } from 'react-router-dom';

import { paths } from '../paths.ts';
import { useTranslation } from '../use-translation.ts';
import { isWaitingForMe, readPlace, waitingForMe, writeFilters } from './place.ts';
import styles from './places.module.css';

const icon = { size: 18, stroke: 1.5, 'aria-hidden': 'true' } as const;
const waiting = `${paths.home}?${new URLSearchParams({ filters: writeFilters(waitingForMe) })}`;

/** The places beside the person's own folders. */
export function Places() {
  const { t } = useTranslation(['library', 'shell']);
  const { pathname, search } = useLocation();
  const atHome = pathname === paths.home;
  const waits = atHome && isWaitingForMe(readPlace(new URLSearchParams(search), pathname));
  const places = [
    { to: paths.home, here: atHome && !waits, name: t('shell:home.title'), Icon: IconFolder },
    { to: waiting, here: waits, name: t('library:review.button'), Icon: IconClipboardCheck },
    { to: paths.shared, here: pathname === paths.shared, name: t('library:shared.title'), Icon: IconUsers },
    { to: paths.tags, here: pathname === paths.tags, name: t('library:tags'), Icon: IconTag },
    { to: paths.deleted, here: pathname === paths.deleted, name: t('library:trash.title'), Icon: IconTrash },
    { to: paths.actions, here: pathname === paths.actions, name: t('library:actions'), Icon: IconArrowBackUp },
  ];
  return (
    <nav aria-label={t('library:places')} data-tour="places">
      <ul className={styles.places}>
        {places.map(({ to, here, name, Icon }) => (
          <li key={to}>
            <Link className={styles.place} to={to} aria-current={here ? 'page' : undefined}>
              <Icon {...icon} /> {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
