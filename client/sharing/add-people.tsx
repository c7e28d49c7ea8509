import { useState } from 'react';

import type { FoundPrincipal } from '#shared/accounts.ts';
import type { Role } from '#shared/roles.ts';
import { grantOf, type AclEntry, type EntryInput } from '#shared/sharing.ts';

import { fullName, useSession } from '../session.ts';
import { useTranslation } from '../use-translation.ts';
import { FindPeople } from './find-people.tsx';
import { RoleSelect } from './role-select.tsx';
import { isAddressOf } from './sharing-query.ts';
import type { Typing } from './typed-address.ts';

/** Finds the person's teams and contacts, and invites by e-mail address. */
export function AddPeople({
  entries,
  ownerId,
  busy,
  typing,
  onAdd,
}: {
  entries: readonly AclEntry[];
  ownerId: string;
  busy: boolean;
  typing: Typing;
  /** Resolves to false where nothing was shared. */
  onAdd: (entry: EntryInput, name: string, invited: boolean) => Promise<boolean>;
}) {
  const { t } = useTranslation('sharing');
  const me = useSession().data?.principal.id;
  const [role, setRole] = useState<Role>('canEdit');
  const named = (one: FoundPrincipal) =>
    entries.some(({ principal, declined }) =>
      one.kind !== 'pending' ? principal.id === one.id : !declined && isAddressOf(principal, one.email),
    );
  return (
    <FindPeople
      label={t('add.label')}
      hint={t('add.hint')}
      busy={busy}
      typing={typing}
      focused
      offers={({ id }) => id !== me && id !== ownerId}
      without={(one) => (named(one) ? t('add.has') : null)}
      onTake={(one) =>
        onAdd(
          { principal: principalOf(one), permissions: grantOf(role), again: true },
          nameOf(one),
          one.kind === 'pending',
        )
      }
    >
      <RoleSelect framed label={t('add.role')} value={role} onChange={setRole} />
    </FindPeople>
  );
}

const nameOf = (one: FoundPrincipal): string => (one.kind === 'group' ? one.name : fullName(one));

function principalOf(one: FoundPrincipal): EntryInput['principal'] {
  if (one.kind === 'group') return { id: one.id, kind: one.kind };
  return { id: one.kind === 'user' ? one.id : -1, kind: one.kind, email: one.email };
}
