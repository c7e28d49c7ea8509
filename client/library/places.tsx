import { IconFolder, IconTrash, IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router-dom';

import { paths } from '../paths.ts';
import styles from './places.module.css';

const icon = { size: 18, stroke: 1.5, 'aria-hidden': 'true' } as const;

/** The places beside the person's own folders. */
export function Places() {
  const { t } = useTranslation(['library', 'shell']);
  const places = [
    { to: paths.home, name: t('shell:home.title'), Icon: IconFolder },
    { to: paths.shared, name: t('library:shared.title'), Icon: IconUsers },
    { to: paths.deleted, name: t('library:trash.title'), Icon: IconTrash },
  ];
  return (
    <nav aria-label={t('library:places')} data-tour="places">
      <ul className={styles.places}>
        {places.map(({ to, name, Icon }) => (
          <li key={to}>
            <NavLink className={styles.place ?? ''} to={to} end>
              <Icon {...icon} /> {name}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
