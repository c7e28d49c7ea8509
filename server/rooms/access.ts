import { accessOf, wantsCode } from '#db/access.ts';
import { Problem } from '#shared/problems.ts';
import type { Permission } from '#shared/roles.ts';
import type { Ctx } from '../context.ts';

/** What the caller may do on a meeting. Who may not read it is not told whether it exists. */
export async function accessTo(
  ctx: Ctx,
  meetingId: string,
  needed: Permission = 'read',
  /** What the person is told who may read it and nothing more. */
  refusal?: string,
): Promise<ReadonlySet<Permission>> {
  const held = await ctx.db.ask((sql) =>
    accessOf(sql, meetingId, ctx.person?.id ?? null, 'living', ctx.browser ?? null),
  );
  if (!held?.has('read'))
    throw new Problem((await ctx.db.ask((sql) => wantsCode(sql, meetingId))) ? 'IC' : 'NO_ACCESS');
  if (!held.has(needed)) throw new Problem('NO_PERM', refusal === undefined ? {} : { message: refusal });
  return held;
}
