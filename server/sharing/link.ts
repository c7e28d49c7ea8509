import { and, eq, lt } from 'drizzle-orm';
import { linkPasses, meetingAccess } from '#db/schema/meetings.ts';
import { wantsCode } from '#db/access.ts';
import { Problem } from '#shared/problems.ts';
import { isCode, passDays, plainCode } from '#shared/sharing.ts';
import { after } from '../clock.ts';
import type { Ctx, House } from '../context.ts';
import { browserOf } from '../http/cookies.ts';
import { newSecret, sameBytes } from '../keys.ts';
import { rules } from '../limits.ts';

/**
 * Keyed hash of an access code: its forty bits could be tried out by a thief of the table, so the hash needs the
 * server's key.
 */
export const codeHash = (house: Pick<House, 'keys'>, code: string): Buffer =>
  house.keys.mac('access-code', plainCode(code));

export const passSeconds = passDays * 86_400;

/**
 * Checks the access code of a link. From then on this browser, or this person with a token, gets in until the code
 * changes. Returns the secret for the browser's cookie if it has none yet.
 */
export async function giveCode(
  ctx: Ctx,
  { id, code }: { id: string; code: string },
): Promise<{ secret: string | null }> {
  const key = `${id}:${ctx.address}`;
  await ctx.limits.take(rules.accessCode, key);
  if (!(await ctx.db.ask((sql) => wantsCode(sql, id)))) throw new Problem('NO_ACCESS');
  const [link] = await ctx.db.orm
    .select({ codeHash: meetingAccess.codeHash, codeId: meetingAccess.codeId })
    .from(meetingAccess)
    .where(and(eq(meetingAccess.meetingId, id), eq(meetingAccess.kind, 'anonymous')));
  const given = codeHash(ctx, code);
  if (!link?.codeId || !link.codeHash || !isCode(code) || !sameBytes(given, link.codeHash))
    throw new Problem('IC', { errors: [{ field: 'code', code: 'wrong_code' }] });
  await ctx.limits.giveBack(rules.accessCode, key);
  const byToken = ctx.proof?.kind === 'token';
  const secret = byToken || ctx.browser ? null : newSecret();
  const holder = byToken ? `u:${ctx.person?.id ?? ''}` : `b:${ctx.browser ?? browserOf(secret ?? '')}`;
  const pass = { codeId: link.codeId, expiresAt: after(ctx.clock.now(), passSeconds) };
  await ctx.db.orm
    .insert(linkPasses)
    .values({ meetingId: id, holder, ...pass })
    .onConflictDoUpdate({ target: [linkPasses.meetingId, linkPasses.holder], set: pass });
  return { secret };
}

export const sweepPasses = ({ db, clock }: House) =>
  db.orm.delete(linkPasses).where(lt(linkPasses.expiresAt, clock.now()));
