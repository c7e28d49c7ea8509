import { IconUsersGroup } from '@tabler/icons-react';

import styles from './sharing.module.css';

/** A team's icon, in the place of a person's initials. */
export function GroupMark({ small = false }: { small?: boolean }) {
  return (
    <span className={styles.group} data-small={small || undefined} aria-hidden="true">
      <IconUsersGroup size={small ? 16 : 20} stroke={1.5} />
    </span>
  );
}
