import { accessesOf } from '#db/access.ts';
import type { Ctx } from '../context.ts';

/** Copies that an answer names, the newest first. */
const mostNamed = 100;

/** Ids of the given meetings that the caller may read. */
export async function readableOf(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  const asker = { userId: ctx.person?.id ?? null, browser: ctx.browser ?? null };
  const held = await ctx.db.ask((sql) =>
    accessesOf(
      sql,
      ids.map((meetingId) => ({ meetingId, ...asker })),
    ),
  );
  return ids.filter((_, i) => held[i]?.has('read'));
}

/** Copies of a meeting that the caller may read. */
export async function copiesOf(ctx: Ctx, id: string): Promise<{ id: string; title: string; date: string }[]> {
  const copies = await ctx.db.ask(
    (sql) => sql<{ id: string; title: string; created_at: Date }[]>`
      select m.id, coalesce(p.title, '') as title, m.created_at from meetings m
      left join meeting_projections p on p.meeting_id = m.id
      where m.cloned_from = ${id} and m.deleted_at is null
      order by m.created_at desc, m.id limit ${mostNamed}`,
  );
  if (copies.length === 0) return [];
  const readable = new Set(
    await readableOf(
      ctx,
      copies.map((one) => one.id),
    ),
  );
  return copies.flatMap((one) =>
    readable.has(one.id) ? [{ id: one.id, title: one.title, date: new Date(one.created_at).toISOString() }] : [],
  );
}
