import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { meetingAccess } from '#db/schema/meetings.ts';
import { anonymousId } from '#shared/accounts.ts';
import { permissions } from '#shared/roles.ts';
import type { AclEntry } from '#shared/sharing.ts';

/** Everybody beside the owner who may do something, as those are told who may share it. */
export async function aclOf(tx: Orm, meetingId: string): Promise<AclEntry[]> {
  const rows = await tx
    .select({
      kind: meetingAccess.kind,
      principalId: meetingAccess.principalId,
      permissions: meetingAccess.permissions,
      typed: meetingAccess.email,
      seenAt: meetingAccess.seenAt,
      codeId: meetingAccess.codeId,
      expiresAt: meetingAccess.expiresAt,
      userId: users.id,
      email: users.email,
      firstName: users.firstName,
      lastName: users.lastName,
    })
    .from(meetingAccess)
    .leftJoin(users, and(eq(users.id, meetingAccess.principalId), eq(meetingAccess.kind, 'user')))
    .where(eq(meetingAccess.meetingId, meetingId))
    .orderBy(meetingAccess.kind, meetingAccess.principalId);
  return rows.flatMap((row): AclEntry[] => {
    const known = permissions.filter((permission) => row.permissions.includes(permission));
    const nobody = { id: anonymousId, email: null, first_name: '', last_name: '', name: '' } as const;
    const { kind, typed, codeId, expiresAt } = row;
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
        return [{ principal: { ...nobody, kind, email: typed ?? row.principalId }, permissions: known }];
      case 'user': {
        // Somebody whose account is gone is nobody any more.
        if (row.userId === null) return [];
        const id = row.userId;
        // Who was named by a bare id says by coming who they are.
        if (typed === null && row.seenAt === null) return [{ principal: { ...nobody, id, kind }, permissions: known }];
        const { email, firstName, lastName } = row;
        const names = { first_name: firstName ?? '', last_name: lastName ?? '' };
        return [{ principal: { ...nobody, ...names, id, kind, email }, permissions: known }];
      }
      default:
        return [];
    }
  });
}

export interface Acquaintance {
  id: string;
  email: string;
  emailKey: string;
  firstName: string;
  lastName: string;
}

/**
 * Whom a person knows: who has come to what they may share, and whoever shares something with them by name. Two who only
 * read the same are told nothing of each other's addresses.
 */
export async function acquaintancesOf(tx: Orm, personId: string): Promise<Acquaintance[]> {
  const known = sql`(
    select a.principal_id from meeting_access a join meetings m on m.id = a.meeting_id and m.deleted_at is null
    where a.kind = 'user' and (a.seen_at is not null) and (m.owner_id = ${personId} or exists (
      select 1 from meeting_access o where o.meeting_id = m.id and o.kind = 'user' and o.principal_id = ${personId}
        and 'own' = any(o.permissions)))
    union
    select m.owner_id from meeting_access a join meetings m on m.id = a.meeting_id and m.deleted_at is null
    where a.kind = 'user' and a.principal_id = ${personId})`;
  return tx
    .select({
      id: users.id,
      email: users.email,
      emailKey: users.emailKey,
      firstName: users.firstName,
      lastName: users.lastName,
    })
    .from(users)
    .where(and(isNotNull(users.confirmedAt), sql`${users.id} in ${known}`))
    .orderBy(users.firstName, users.lastName, users.id);
}

/** Addresses somebody has shared with that nobody has come from yet. */
export async function waitingAddressesOf(tx: Orm, personId: string): Promise<string[]> {
  const rows = await tx.execute<{ email: string }>(sql`
    select distinct on (a.principal_id) a.email from meeting_access a
    join meetings m on m.id = a.meeting_id and m.deleted_at is null and m.owner_id = ${personId}
    where a.kind = 'pending' and a.email is not null order by a.principal_id`);
  return [...rows].map(({ email }) => email);
}

export const peopleById = (tx: Orm, ids: readonly string[]) =>
  ids.length === 0
    ? Promise.resolve([])
    : tx
        .select({ id: users.id, email: users.email, emailKey: users.emailKey, language: users.language })
        .from(users)
        .where(and(inArray(users.id, [...ids]), isNotNull(users.confirmedAt)));
