import { and, eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { holds } from '#db/schema/billing.ts';
import { groups, teams } from '#db/schema/groups.ts';
import { lifetimes } from '#shared/accounts.ts';
import { invalid, Problem } from '#shared/problems.ts';
import type { Signed } from '../context.ts';
import { queueMail } from '../mail/queue.ts';
import { membersOf } from './members.ts';
import { teamOf } from './teams.ts';

export const payerRefusal = 'No permissions to change payer';

/**
 * Names the admin who pays for a locked team. Money moves at its owner's word alone: naming oneself takes effect at
 * once, naming another admin asks that one, and the present payer pays until then.
 */
export async function namePayer(ctx: Signed, tx: Orm, groupId: string, named: string | null): Promise<void> {
  const team = await teamOf(tx, groupId);
  // A plain group is answered, and may be sent again, without a payer.
  if (named === null && !team?.payerId) return;
  if (!team) throw invalid({ field: 'payer', code: 'team_only' });
  if (named === null) throw invalid({ field: 'payer', code: 'payer_needed' });
  const { person } = ctx;
  const set = (columns: Partial<typeof teams.$inferInsert>) =>
    tx.update(teams).set(columns).where(eq(teams.groupId, groupId));
  if (named === person.id) {
    await set({ payerId: named, askedPayerId: null, lowSince: null });
    return;
  }
  // The whole group as it was answered names its payer, and changes nothing.
  if (named === team.payerId) return;
  const admin = (await membersOf(tx, groupId)).find((one) => one.id === named && one.role === 'admin');
  if (!admin) throw invalid({ field: 'payer', code: 'payer_admin' });
  if (team.askedPayerId === named) return;
  await set({ askedPayerId: named });
  const [group] = await tx.select({ name: groups.name }).from(groups).where(eq(groups.id, groupId));
  await queueMail(ctx, tx, {
    to: admin.email,
    language: admin.language,
    mail: {
      kind: 'team-payer',
      firstName: admin.firstName,
      by: `${person.firstName} ${person.lastName}`.trim(),
      team: group?.name ?? '',
      groupId,
    },
    lifetime: lifetimes.notice,
  });
}

/** Ends what somebody pays, or is asked to pay, for a team. Work that is reserved for stays theirs. */
export async function endPayment(tx: Orm, groupId: string, personId: string): Promise<void> {
  await tx
    .update(teams)
    .set({ payerId: null })
    .where(and(eq(teams.groupId, groupId), eq(teams.payerId, personId)));
  await tx
    .update(teams)
    .set({ askedPayerId: null })
    .where(and(eq(teams.groupId, groupId), eq(teams.askedPayerId, personId)));
}

/** Makes a team a plain group; only its payer may, or an admin where nobody pays, and not while it pays for work. */
export async function closeTeam(ctx: Signed, tx: Orm, groupId: string): Promise<void> {
  const [team] = await tx.select().from(teams).where(eq(teams.groupId, groupId));
  if (team?.payerId && team.payerId !== ctx.person.id) throw new Problem('NO_PERM', { message: payerRefusal });
  const [open] = await tx
    .select({ id: holds.id })
    .from(holds)
    .where(and(eq(holds.groupId, groupId), eq(holds.state, 'open')))
    .limit(1);
  if (open) throw new Problem('CONFLICT', { message: 'The team still pays for recordings that are being transcribed' });
  await tx.update(teams).set({ payerId: null, askedPayerId: null }).where(eq(teams.groupId, groupId));
}
