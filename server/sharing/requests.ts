import { and, eq, isNull, sql } from 'drizzle-orm';
import { accessesOf } from '#db/access.ts';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { accessRequests, meetingAccess, meetingProjections, meetings } from '#db/schema/meetings.ts';
import { emailKey, lifetimes } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { holdsRole, roleNames, roleOf, roles, type Role, type MeetingVerb } from '#shared/roles.ts';
import { grantOf, sharingLimits, type AccessRequest, type AskedView, type RequestedAccess } from '#shared/sharing.ts';
import { signedIn, transaction, type Ctx, type Person, type Signed } from '../context.ts';
import { rules } from '../limits.ts';
import { queueMail } from '../mail/queue.ts';
import { revokeInvitations } from '../people/invitations.ts';
import { accessTo } from '../rooms/access.ts';
import { noteShare } from './noted-share.ts';
import { refuseUnpaid } from './paid-share.ts';
import { holdSharing, raiseVersion } from './change.ts';
import { dropRow, putRow, type AccessRow } from './rows.ts';

/**
 * Mails the owner of a meeting that a person asks for a role. The answer tells only whether the same person asked the same
 * within a day, when nothing is sent: never whether there is a meeting.
 */
export async function requestAccess(ctx: Ctx, { id, role }: { id: string; role: Role }): Promise<AskedView> {
  const { person } = signedIn(ctx);
  if (!person.confirmed) return { before: false };
  if (!(await ctx.limits.allow(rules.accessRequests, person.id))) return { before: false };
  return transaction(ctx, async (tx) => {
    if (!(await ctx.limits.allow(rules.accessRequest, `${id}:${person.id}:${role}`, tx))) return { before: true };
    await passOn(ctx, tx, person, { id, role });
    return { before: false };
  });
}

async function passOn(ctx: Ctx, tx: Orm, person: Person, { id, role }: { id: string; role: Role }): Promise<void> {
  const [held] = await ctx.db.ask((db) => accessesOf(db, [{ meetingId: id, userId: person.id }], 'living', 'open'));
  if (!held || holdsRole(held, role)) return;
  // Limited by meeting too, so that many people, or one with many accounts, cannot fill a mailbox.
  if (!(await ctx.limits.allow(rules.accessRequestsFor, id, tx))) return;
  const [meeting] = await tx
    .select({
      email: users.email,
      language: users.language,
      firstName: users.firstName,
      title: meetingProjections.title,
    })
    .from(meetings)
    .innerJoin(users, eq(users.id, meetings.ownerId))
    .leftJoin(meetingProjections, eq(meetingProjections.meetingId, meetings.id))
    .where(and(eq(meetings.id, id), isNull(meetings.deletedAt)));
  if (!meeting) return;
  const at = ctx.clock.now();
  const [request] = await tx
    .insert(accessRequests)
    .values({ id: newId(), meetingId: id, userId: person.id, role, at })
    .onConflictDoUpdate({
      target: [accessRequests.meetingId, accessRequests.userId],
      set: { role, at, answeredAt: null },
    })
    .returning({ id: accessRequests.id });
  if (!request) return;
  await queueMail(ctx, tx, {
    to: meeting.email,
    language: meeting.language,
    mail: {
      kind: 'access-request',
      firstName: meeting.firstName,
      asker: `${person.firstName} ${person.lastName}`.trim(),
      email: person.email,
      title: meeting.title ?? '',
      requestId: request.id,
      role,
    },
    lifetime: lifetimes.notice,
  });
}

const roleNamed = (stored: string): Role => roleNames.find((one) => one === stored) ?? 'canRead';

const nameOf = ({ firstName, lastName }: { firstName: string; lastName: string }) => `${firstName} ${lastName}`.trim();

/** Closes the requests of people who are named on the meeting by now with the role they asked for. */
export async function closeRequests(ctx: Signed, tx: Orm, meetingId: string): Promise<void> {
  const needs = sql.join(
    roleNames.map(
      (role) => sql`when ${role} then ${sql.param(roles[role].filter((one) => one !== 'discover'))}::text[]`,
    ),
    sql` `,
  );
  const named = sql`
    select 1 from meeting_access a
      left join users u on a.kind = 'pending' and u.email_key = a.principal_id and u.confirmed_at is not null
      where a.meeting_id = ${meetingId} and a.kind in ('user', 'pending')
        and access_requests.user_id = case a.kind when 'user' then a.principal_id else u.id end
        and a.permissions @> case access_requests.role ${needs} end`;
  await tx
    .update(accessRequests)
    .set({ answeredAt: ctx.clock.now() })
    .where(and(eq(accessRequests.meetingId, meetingId), isNull(accessRequests.answeredAt), sql`exists (${named})`));
}

/** People who wait for an answer. */
export async function openRequests(ctx: Ctx, meetingId: string): Promise<AccessRequest[]> {
  const rows = await ctx.db.orm
    .select({
      id: accessRequests.id,
      role: accessRequests.role,
      at: accessRequests.at,
      userId: users.id,
      email: users.email,
      firstName: users.firstName,
      lastName: users.lastName,
    })
    .from(accessRequests)
    .innerJoin(users, eq(users.id, accessRequests.userId))
    .where(and(eq(accessRequests.meetingId, meetingId), isNull(accessRequests.answeredAt)))
    .orderBy(accessRequests.at, accessRequests.id)
    .limit(50);
  // Some may have the role by now through a group or a folder.
  const held = await ctx.db.ask((db) =>
    accessesOf(
      db,
      rows.map(({ userId }) => ({ meetingId, userId })),
      'living',
      'open',
    ),
  );
  const waiting = rows.filter((row, i) => !holdsRole(held[i] ?? new Set(), roleNamed(row.role)));
  return waiting.map((row) => ({
    id: row.id,
    asks: roleNamed(row.role),
    person: { id: row.userId, name: nameOf(row), email: row.email },
    at: row.at.toISOString(),
  }));
}

async function find(ctx: Ctx, name: MeetingVerb, id: string) {
  const [row] = await ctx.db.orm
    .select({
      id: accessRequests.id,
      asks: accessRequests.role,
      at: accessRequests.at,
      answeredAt: accessRequests.answeredAt,
      meetingId: accessRequests.meetingId,
      userId: users.id,
      email: users.email,
      language: users.language,
      firstName: users.firstName,
      lastName: users.lastName,
      title: meetingProjections.title,
      permissions: meetingAccess.permissions,
    })
    .from(accessRequests)
    .innerJoin(users, eq(users.id, accessRequests.userId))
    .leftJoin(meetingProjections, eq(meetingProjections.meetingId, accessRequests.meetingId))
    .leftJoin(
      meetingAccess,
      and(
        eq(meetingAccess.meetingId, accessRequests.meetingId),
        eq(meetingAccess.kind, 'user'),
        eq(meetingAccess.principalId, accessRequests.userId),
      ),
    )
    .where(eq(accessRequests.id, id));
  if (!row) throw new Problem('NO_ACCESS');
  // Requests for other people's recordings are refused here.
  await accessTo(ctx, name, row.meetingId);
  return row;
}

const viewOf = (row: Awaited<ReturnType<typeof find>>): RequestedAccess => ({
  id: row.id,
  meeting: { id: row.meetingId, title: row.title ?? '' },
  person: { name: nameOf(row), email: row.email },
  at: row.at.toISOString(),
  asks: roleNamed(row.asks),
  role: row.permissions ? roleOf(row.permissions) : null,
  answered: row.answeredAt !== null,
});

/** Request as the link of the mail shows it; opening it changes nothing. */
export const viewRequest = async (ctx: Ctx, { id }: { id: string }): Promise<RequestedAccess> =>
  viewOf(await find(ctx, 'GET /api/access-requests/:id', id));

/** Answers a request with a role, or with a refusal, which is not mailed. */
export async function answerRequest(
  ctx: Ctx,
  { id, role }: { id: string; role: Role | null },
): Promise<RequestedAccess> {
  const signed = signedIn(ctx);
  const name = 'POST /api/access-requests/:id';
  const row = await find(ctx, name, id);
  await transaction(ctx, async (tx) => {
    const { rows, ownerId } = await holdSharing(signed, tx, row.meetingId);
    const asker = { kind: 'user', principalId: row.userId };
    const isNew = role !== null && !rows.some(({ kind, principalId }) => kind === 'user' && principalId === row.userId);
    await refuseUnpaid(signed, tx, { id: row.meetingId, ownerId }, isNew ? [asker] : []);
    await tx.update(accessRequests).set({ answeredAt: ctx.clock.now() }).where(eq(accessRequests.id, id));
    if (role !== null) await admit(signed, tx, row, role, rows);
  });
  return viewOf(await find(ctx, name, id));
}

async function admit(
  ctx: Signed,
  tx: Orm,
  { meetingId, userId, email, language, firstName, title }: Awaited<ReturnType<typeof find>>,
  role: Role,
  rows: readonly AccessRow[],
): Promise<void> {
  const before = rows.find(({ kind, principalId }) => kind === 'user' && principalId === userId);
  if (!before && rows.length >= sharingLimits.entries)
    throw new Problem('INVALID', { errors: [{ field: 'role', code: 'too_many' }] });
  // Permissions are only added: the person may have been given more since they asked.
  const permissions = [...new Set([...(before?.permissions ?? []), ...grantOf(role)])];
  if (before && permissions.length === before.permissions.length) return;
  const shared = { kind: 'meeting', id: meetingId } as const;
  const now: AccessRow = before
    ? { ...before, permissions }
    : {
        ...{ kind: 'user', principalId: userId, permissions, email },
        // Asking revealed the person's name to the owner, so they count as having visited.
        ...{ seenAt: ctx.clock.now(), codeHash: null, codeId: null, expiresAt: null },
      };
  await putRow(tx, shared, now);
  // Asking answers anew: the invitation that was declined must not add what it would have given.
  const declined = rows.find(({ kind, principalId }) => kind === 'declined' && principalId === emailKey(email));
  if (declined) {
    await dropRow(tx, shared, declined);
    await revokeInvitations(ctx, tx, { kind: 'meeting', targetId: meetingId, email });
  }
  const after = [...rows.filter((row) => row !== before && row !== declined), now];
  await noteShare(ctx, tx, shared, { before: rows, after, history: null });
  await raiseVersion(ctx, tx, meetingId);
  // Every request is limited, and each can be granted a role more only a few times.
  await queueMail(ctx, tx, {
    to: email,
    language,
    mail: {
      kind: 'access-given',
      firstName,
      inviter: nameOf(ctx.person),
      title: title ?? '',
      meetingId,
    },
    lifetime: lifetimes.notice,
  });
}
