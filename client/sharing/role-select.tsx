import { roleNames, type Role } from '#shared/roles.ts';

import { SentenceSelect } from '../ui/sentence-select.tsx';
import { useTranslation } from '../use-translation.ts';

interface RoleSelectProps {
  label: string;
  value: Role;
  onChange: (role: Role) => void;
  disabled?: boolean;
  framed?: boolean;
  /** A role that is shown but cannot be chosen. */
  without?: Role;
}

/** The name of a role on screen: 'can comment'. */
export function RoleSelect({ without, ...rest }: RoleSelectProps) {
  const { t } = useTranslation('sharing');
  return (
    <SentenceSelect
      {...rest}
      options={roleNames.filter((role) => role !== without).map((role) => ({ value: role, label: t(`role.${role}`) }))}
    />
  );
}
