import { IconChevronDown } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { roleNames, type Role } from '#shared/roles.ts';

import styles from './sharing.module.css';

/** The name of a role on screen: 'can comment'. */
export function RoleSelect({
  label,
  value,
  onChange,
  disabled = false,
  without,
}: {
  label: string;
  value: Role;
  onChange: (role: Role) => void;
  disabled?: boolean;
  /** A role that is shown but cannot be chosen. */
  without?: Role;
}) {
  const { t } = useTranslation('sharing');
  return (
    <span className={styles.select}>
      <select
        aria-label={label}
        value={value}
        disabled={disabled}
        onChange={({ target }) => {
          const role = roleNames.find((one) => one === target.value);
          if (role) onChange(role);
        }}
      >
        {roleNames
          .filter((role) => role !== without)
          .map((role) => (
            <option key={role} value={role}>
              {t(`role.${role}`)}
            </option>
          ))}
      </select>
      <IconChevronDown size={16} stroke={1.5} aria-hidden="true" />
    </span>
  );
}
