import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { meetings } from '#db/schema/meetings.ts';
import { emailKey } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { Problem, type FieldError } from '#shared/problems.ts';
import type { Permission } from '#shared/roles.ts';
import {
  grantOf,
  readEntries,
  type AclInput,
  type MeetingAclInput,
  type SharedAnswer,
  type WantedEntry,
} from '#shared/sharing.ts';
import { versionLimit } from '#shared/versions.ts';
import { signedIn, transaction, type Ctx, type Signed } from '../context.ts';
import { revokeInvitations } from '../people/invitations.ts';
import { livingGroupsOf } from '../groups/members.ts';
import { keepResult } from '../http/once.ts';
import { accessTo, grantedOn } from '../rooms/access.ts';
import { aclOf, acquaintancesOf, peopleById } from './acl.ts';
import { holdSharing, raiseVersion, type Held, type Target } from './change.ts';
import { codeHash } from './link.ts';
import { alike, noteShare, sameRow } from './noted-share.ts';
import { refuseUnpaid } from './paid-share.ts';
import { closeRequests } from './requests.ts';
import { dropRow, putRow, type AccessRow } from './rows.ts';
import { tell } from './tell.ts';

const refusal = 'No permissions to share';

export const meetingTarget = (id: string): Target => ({
  kind: 'meeting',
  id,
  grantOf,
  hold: (ctx, tx) => holdSharing(ctx, tx, id),
  raise: (ctx, tx) => raiseVersion(ctx, tx, id),
});

export async function shareMeeting(ctx: Ctx, { id, ...list }: MeetingAclInput & { id: string }): Promise<SharedAnswer> {
  await accessTo(ctx, 'POST /api/meetings/:id/acl', id);
  return shareWith(ctx, meetingTarget(id), await grantedOn(ctx, id), list);
}

/** Replaces the list of people with permissions. It is refused if somebody else changed the list since `version`. */
export async function shareWith(
  ctx: Ctx,
  target: Target,
  granted: ReadonlySet<Permission>,
  { entries, version, history }: AclInput & Pick<MeetingAclInput, 'history'>,
): Promise<SharedAnswer> {
  const signed = signedIn(ctx);
  const { wanted, errors } = readEntries(entries, target.kind);
  if (errors.length > 0) throw new Problem('INVALID', { errors: errors.slice(0, 50) });
  // Nobody can grant permissions they do not have.
  const permitted = (one: WantedEntry) => (one.kind === 'anonymous' ? one.permissions : target.grantOf(one.role));
  for (const one of wanted)
    if (permitted(one).some((permission) => !granted.has(permission)))
      throw new Problem('NO_PERM', { message: refusal });
  return transaction(ctx, async (tx) => {
    const before = await target.hold(signed, tx);
    if (version > before.version && version < versionLimit)
      throw new Problem('INVALID', { errors: [{ field: 'version', code: 'unknown' }] });
    if (version < before.aclVersion || version >= versionLimit)
      throw new Problem('CONFLICT', { info: { version: before.version } });
    const after = await resolveEntries(signed, tx, target, before, wanted);
    const listed = await writeList(signed, tx, target, before, after);
    const chosen =
      history !== undefined && before.history !== undefined && history !== before.history
        ? { before: before.history, after: history }
        : null;
    if (chosen) await tx.update(meetings).set({ historyNeeds: chosen.after }).where(eq(meetings.id, target.id));
    const changed = listed || chosen !== null;
    if (changed) await noteShare(signed, tx, target, { before: before.rows, after, history: chosen });
    const now = changed ? await target.raise(signed, tx) : before.version;
    const answer = { acl: { entries: await aclOf(tx, target) }, version: now };
    await keepResult(ctx, tx, answer);
    return answer;
  });
}

/**
 * Principals of the entries that were sent. An address is matched only to a person the caller knows, so that the answer
 * does not reveal whether it has an account.
 */
async function resolveEntries(
  ctx: Signed,
  tx: Orm,
  target: Target,
  { ownerId, rows }: Held,
  wanted: readonly WantedEntry[],
): Promise<AccessRow[]> {
  const errors: FieldError[] = [];
  const at = (kind: string, id: string) => rows.find((row) => row.kind === kind && row.principalId === id);
  const acquaintances = await acquaintancesOf(tx, ctx.person.id);
  const userIds = [ownerId, ...wanted.flatMap((one) => (one.kind === 'user' ? one.id : []))];
  const people = new Map(
    (
      await peopleById(tx, [
        ...new Set([...userIds, ...rows.flatMap(({ kind, principalId }) => (kind === 'user' ? principalId : []))]),
      ])
    ).map((one) => [one.id, one]),
  );
  const ownerKey = people.get(ownerId)?.emailKey;
  // Adds people in the list already, but only when the caller knows their address.
  const byAddress = new Map(acquaintances.map(({ id, emailKey: key, email }) => [key, { id, email }]));
  for (const { kind, principalId, email, seenAt } of rows) {
    const one = kind === 'user' && (email !== null || seenAt !== null) ? people.get(principalId) : undefined;
    if (one) byAddress.set(one.emailKey, { id: one.id, email: one.email });
  }
  const groupIds = new Set((await livingGroupsOf(tx, ctx.person.id)).map(({ id }) => id));
  const settled = new Map<string, AccessRow>();
  const keep = (one: AccessRow) => {
    const key = `${one.kind} ${one.principalId}`;
    if (!settled.has(key)) settled.set(key, one);
  };
  const plain = { email: null, seenAt: null, codeHash: null, codeId: null, expiresAt: null };
  const person = (id: string, email: string | null, permissions: string[]) => {
    const row = at('user', id);
    keep({
      ...plain,
      kind: 'user',
      principalId: id,
      permissions,
      email: row?.email ?? email,
      seenAt: row?.seenAt ?? null,
    });
  };
  for (const one of wanted) {
    const wrong = (field: string, code: string) => errors.push({ field: `entries.${one.at}.${field}`, code });
    if (one.kind === 'anonymous') {
      const row = at('anonymous', '');
      const { code, expires, permissions } = one;
      const link = { codeHash: row?.codeHash ?? null, codeId: row?.codeId ?? null };
      if (code === null) Object.assign(link, { codeHash: null, codeId: null });
      else if (code !== undefined) Object.assign(link, { codeHash: codeHash(ctx, code), codeId: newId() });
      const expiresAt = expires === undefined ? (row?.expiresAt ?? null) : expires;
      keep({ ...plain, ...link, kind: 'anonymous', principalId: '', permissions, expiresAt });
      continue;
    }
    const permissions = target.grantOf(one.role);
    if (one.kind === 'group') {
      // Accepts groups of the caller and groups already named; others are refused as unknown, so that nobody learns of
      // them.
      if (groupIds.has(one.id) || at('group', one.id))
        keep({ ...plain, kind: 'group', principalId: one.id, permissions });
      else wrong('principal', 'unknown');
      continue;
    }
    const key = one.kind === 'pending' ? emailKey(one.email) : null;
    const declined = key === null ? undefined : at('declined', key);
    if (one.kind === 'pending' && declined && !one.again) {
      keep({ ...declined, permissions });
      continue;
    }
    const known = key === null ? undefined : byAddress.get(key);
    const id = one.kind === 'user' ? one.id : (known?.id ?? null);
    if (id === ownerId || (key !== null && key === ownerKey)) {
      // The maker always stays owner, whatever the list says.
      if (one.role !== 'canEditShare') wrong('principal', 'last_owner');
    } else if (id !== null && one.kind === 'user') {
      const found = people.get(id);
      if (!found && !at('user', id)) wrong('principal', 'unknown');
      else {
        const sentAddress = one.email !== null && found?.emailKey === emailKey(one.email);
        const met = acquaintances.some((other) => other.id === id);
        person(id, found && (sentAddress || met) ? found.email : null, permissions);
      }
    } else if (known) person(known.id, known.email, permissions);
    else if (one.kind === 'pending' && key !== null)
      keep({
        ...plain,
        kind: 'pending',
        principalId: key,
        permissions,
        email: (at('pending', key) ?? declined)?.email ?? one.email,
      });
  }
  if (errors.length > 0) throw new Problem('INVALID', { errors: errors.slice(0, 50) });
  // A person who declined and is named by account now has the permissions of that entry alone.
  const answered = new Set(
    [...settled.values()].flatMap(({ kind, principalId, email, seenAt }) =>
      kind === 'user' && (email !== null || seenAt !== null) ? (people.get(principalId)?.emailKey ?? []) : [],
    ),
  );
  return [...settled.values()].filter(({ kind, principalId }) => kind !== 'declined' || !answered.has(principalId));
}

/** Writes a list: what it adds must be paid, and is told; requests for access that it grants are closed. */
export async function writeList(
  ctx: Signed,
  tx: Orm,
  target: Target,
  { ownerId, rows }: Held,
  after: readonly AccessRow[],
): Promise<boolean> {
  const added = after.filter((one) => !rows.some((row) => sameRow(row, one)));
  await refuseUnpaid(ctx, tx, { id: target.id, ownerId }, added);
  const changed = await write(ctx, tx, target, rows, after);
  if (changed && target.kind === 'meeting') await closeRequests(ctx, tx, target.id);
  return changed;
}

async function write(
  ctx: Signed,
  tx: Orm,
  target: Target,
  before: readonly AccessRow[],
  after: readonly AccessRow[],
): Promise<boolean> {
  const removed = before.filter((row) => !after.some((one) => sameRow(row, one)));
  for (const row of removed) {
    await dropRow(tx, target, row);
    // Inviting again revokes the earlier invitation only for a new mail.
    if (row.kind === 'declined' && after.some((one) => sameRow(one, { ...row, kind: 'pending' }))) continue;
    if (row.kind === 'pending' || row.kind === 'declined')
      await revokeInvitations(ctx, tx, { kind: target.kind, targetId: target.id, email: row.principalId });
  }
  let changed = removed.length > 0;
  for (const one of after) {
    const row = before.find((old) => sameRow(old, one));
    if (row && alike(row, one)) continue;
    changed = true;
    await putRow(tx, target, one);
    if (!row && one.kind !== 'anonymous' && one.kind !== 'declined') await tell(ctx, tx, target, one);
  }
  return changed;
}
