import { and, inArray, isNotNull, ne, sql, type SQL } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { anonymousId } from '#shared/accounts.ts';
import { permissions } from '#shared/roles.ts';
import type { AclEntry } from '#shared/sharing.ts';
import { fellowsOf, groupsById } from '../groups/members.ts';
import { rowsOf, type AccessRow, type Shared } from './rows.ts';

/** Everybody except the owner who has permissions, as shown to people who can share it. */
export async function aclOf(tx: Orm, shared: Shared): Promise<AclEntry[]> {
  const rows = (await rowsOf(tx, shared)).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const people = await namesOf(
    tx,
    rows.flatMap(({ kind, principalId }) => (kind === 'user' ? principalId : [])),
  );
  const named = await groupsById(
    tx,
    rows.flatMap(({ kind, principalId }) => (kind === 'group' ? principalId : [])),
  );
  return rows.flatMap((row): AclEntry[] => {
    const known = permissions.filter((permission) => row.permissions.includes(permission));
    const nobody = { id: anonymousId, email: null, first_name: '', last_name: '', name: '' } as const;
    const { kind, principalId, email: typed, codeId, expiresAt } = row;
    switch (kind) {
      case 'anonymous':
        return [
          {
            principal: { ...nobody, kind },
            permissions: known,
            code: codeId !== null,
            expires: expiresAt?.toISOString() ?? null,
          },
        ];
      case 'pending':
        return [{ principal: { ...nobody, kind, email: typed ?? principalId }, permissions: known }];
      case 'declined':
        return [
          {
            principal: { ...nobody, kind: 'pending', email: typed ?? principalId },
            permissions: known,
            declined: true,
          },
        ];
      case 'user': {
        const person = people.get(principalId);
        // People whose accounts were deleted are left out.
        if (!person) return [];
        const { id, email, firstName, lastName } = person;
        // A person named by a bare id is shown by name only after their first visit.
        if (typed === null && row.seenAt === null) return [{ principal: { ...nobody, id, kind }, permissions: known }];
        const names = { first_name: firstName, last_name: lastName };
        return [{ principal: { ...nobody, ...names, id, kind, email }, permissions: known }];
      }
      // Details of a group are shown only to its members.
      case 'group': {
        const group = named.get(principalId);
        if (!group) return [];
        const { id, name, members, archived } = group;
        return [{ principal: { ...nobody, id, kind, name }, permissions: known, members, archived }];
      }
      default:
        return [];
    }
  });
}

const keyOf = ({ kind, principalId }: AccessRow) => `${kind} ${principalId}`;

async function namesOf(tx: Orm, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never>();
  const { id, email, firstName, lastName } = users;
  const rows = await tx
    .select({ id, email, firstName, lastName })
    .from(users)
    .where(inArray(users.id, [...ids]));
  return new Map(rows.map((row) => [row.id, row]));
}

interface Acquaintance {
  id: string;
  email: string;
  emailKey: string;
  firstName: string;
  lastName: string;
}

/** People known through things shared of one kind; each arm of the union is looked up by its own key. */
const knownBy = (personId: string, access: SQL, shared: SQL, of: SQL) => sql`
  select a.principal_id from ${shared} s join ${access} a on a.${of} = s.id and a.kind = 'user' and a.seen_at is not null
  where s.owner_id = ${personId} and s.deleted_at is null
  union
  select a.principal_id from ${access} o join ${shared} s on s.id = o.${of} and s.deleted_at is null
  join ${access} a on a.${of} = s.id and a.kind = 'user' and a.seen_at is not null
  where o.kind = 'user' and o.principal_id = ${personId} and 'own' = any(o.permissions)
  union
  select s.owner_id from ${access} a join ${shared} s on s.id = a.${of} and s.deleted_at is null
  where a.kind = 'user' and a.principal_id = ${personId}`;

/**
 * People whom a person knows: visitors of things they can share, people who share with them by name, and members of the
 * same active group. Two readers of the same thing do not learn each other's address.
 */
export async function acquaintancesOf(tx: Orm, personId: string): Promise<Acquaintance[]> {
  const known = sql`(
    ${knownBy(personId, sql`meeting_access`, sql`meetings`, sql`meeting_id`)}
    union ${knownBy(personId, sql`folder_access`, sql`folders`, sql`folder_id`)}
    union ${fellowsOf(personId)})`;
  return tx
    .select({
      id: users.id,
      email: users.email,
      emailKey: users.emailKey,
      firstName: users.firstName,
      lastName: users.lastName,
    })
    .from(users)
    .where(and(isNotNull(users.confirmedAt), ne(users.id, personId), sql`${users.id} in ${known}`))
    .orderBy(users.firstName, users.lastName, users.id);
}

/** Addresses the person has shared with that nobody has used to visit yet. */
export async function waitingAddressesOf(tx: Orm, personId: string): Promise<string[]> {
  const rows = await tx.execute<{ email: string }>(sql`
    select distinct on (a.principal_id) a.email from (
      select a.kind, a.principal_id, a.email from meeting_access a
      join meetings m on m.id = a.meeting_id and m.deleted_at is null and m.owner_id = ${personId}
      union all
      select a.kind, a.principal_id, a.email from folder_access a
      join folders f on f.id = a.folder_id and f.deleted_at is null and f.owner_id = ${personId}
    ) a where a.kind = 'pending' and a.email is not null order by a.principal_id`);
  return [...rows].map(({ email }) => email);
}

export const peopleById = (tx: Orm, ids: readonly string[]) =>
  ids.length === 0
    ? Promise.resolve([])
    : tx
        .select({ id: users.id, email: users.email, emailKey: users.emailKey, language: users.language })
        .from(users)
        .where(and(inArray(users.id, [...ids]), isNotNull(users.confirmedAt)));
