import { eq, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { aiConsents, aiConsentsOfPeople } from '#db/schema/ai.ts';
import { users } from '#db/schema/accounts.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { ConsentInput, ConsentTo } from '#shared/ai/views.ts';
import { invalid } from '#shared/problems.ts';
import { transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { accessByCall } from '../rooms/access.ts';
import { Holding, holdRights } from '../rooms/holding.ts';

interface Consent {
  consent: ConsentTo;
  host: string | null;
}

const named = 'host:';

const read = (allows: string): Consent =>
  allows.startsWith(named)
    ? { consent: 'host', host: allows.slice(named.length) }
    : { consent: allows === 'none' ? 'none' : 'local', host: null };

/**
 * The same, which stays as it is until the transaction ends: what is stored with it is stored before it was withdrawn, or
 * not at all.
 */
export async function heldConsentOf(tx: Orm, meetingId: string): Promise<Consent> {
  const ownerId = await ownerOf(tx, meetingId);
  if (ownerId !== null) await tx.select({ id: users.id }).from(users).where(eq(users.id, ownerId)).for('share');
  await tx.select({ id: meetings.id }).from(meetings).where(eq(meetings.id, meetingId)).for('share');
  return consentOf(tx, meetingId);
}

async function ownerOf(tx: Orm, meetingId: string): Promise<string | null> {
  const [meeting] = await tx.select({ ownerId: meetings.ownerId }).from(meetings).where(eq(meetings.id, meetingId));
  return meeting?.ownerId ?? null;
}

/** The owner's word for this recording, else for all of theirs, else that it stays on this machine. */
export async function consentOf(orm: Orm, meetingId: string): Promise<Consent> {
  const [row] = await orm
    .select({ allows: sql<string | null>`coalesce(${aiConsents.allows}, ${aiConsentsOfPeople.allows})` })
    .from(meetings)
    .leftJoin(aiConsents, eq(aiConsents.meetingId, meetings.id))
    .leftJoin(aiConsentsOfPeople, eq(aiConsentsOfPeople.userId, meetings.ownerId))
    .where(eq(meetings.id, meetingId));
  return read(row?.allows ?? 'local');
}

/** Sets where a recording may be sent; runs that it no longer covers stop within a second (job.ts). */
export async function setConsent(
  ctx: Ctx,
  { id, consent, host, all }: ConsentInput & { id: string },
): Promise<Consent> {
  const ask = () => accessByCall(ctx, 'PUT /api/meetings/:id/ai', id);
  const access = await ask();
  const offered = await ctx.assistants();
  if (consent === 'host' && !offered.some((one) => one.offered.host === host))
    throw invalid({ field: 'host', code: 'unknown' });
  const allows = consent === 'host' ? named + (host ?? '') : consent;
  const holding = new Holding(ctx, access, async () => (await ask()).held);
  return holding.during((holder) =>
    transaction(ctx, async (tx) => {
      // Waits for parts that are being stored; the next one finds this word (heldConsentOf). An account before its
      // recordings, as everywhere.
      const ownerId = all ? await ownerOf(tx, id) : null;
      // Somebody else with *own* speaks for this recording, not for the owner's others.
      const speaksForAll = ownerId !== null && ownerId === ctx.person?.id;
      if (speaksForAll) await tx.select({ id: users.id }).from(users).where(eq(users.id, ownerId)).for('no key update');
      await tx.select({ id: meetings.id }).from(meetings).where(eq(meetings.id, id)).for('no key update');
      await holdRights(tx, holder, ['own']);
      await tx
        .insert(aiConsents)
        .values({ meetingId: id, allows })
        .onConflictDoUpdate({ target: aiConsents.meetingId, set: { allows } });
      if (speaksForAll)
        await tx
          .insert(aiConsentsOfPeople)
          .values({ userId: ownerId, allows })
          .onConflictDoUpdate({ target: aiConsentsOfPeople.userId, set: { allows } });
      const set = read(allows);
      await keepResult(ctx, tx, set);
      return set;
    }),
  );
}
