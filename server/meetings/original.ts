import { readRows } from '#db/updates.ts';
import type { Original } from '#shared/meetings/original-view.ts';
import { readSeeds } from '#shared/meetings/original.ts';
import { unpackUpdates } from '#sync/protocol.ts';
import type { Ctx } from '../context.ts';
import { accessTo } from '../rooms/access.ts';
import { roomProblems } from '../rooms/documents.ts';

/**
 * The original transcript, read from the log, which keeps deleted text. Every editor can add times to text, so that
 * only rows are read that no person wrote: the server's own, and the first ones of later generations. Text that a
 * person typed and deleted stays private. The state from which a version was restored lacks what was deleted in it, so
 * the generation in which a seed was written has it.
 */
export async function originalOf(ctx: Ctx, { id }: { id: string }): Promise<Original> {
  await accessTo(ctx, 'GET /api/meetings/:id/original', id);
  const { db } = ctx;
  const room = `${id}/transcript`;
  // A seed with times has its text in the same row.
  const wanted = await roomProblems(() =>
    ctx.rooms.read(id, 'transcript', { userId: null }, (doc) =>
      [...doc.getMap('timings').keys()].map(Number).filter((client) => Number.isSafeInteger(client) && client >= 0),
    ),
  );
  const rows = await db.ask(
    (sql) => sql<{ now: number; generation: number; seq: string | null }[]>`
      select r.generation as now, u.generation, u.seq from rooms r left join room_updates u
        on u.room = r.name and (u.generation < r.generation or (u.generation = r.generation and u.seq <= r.seq))
        and (u.user_id is null or (u.seq = 1 and u.generation > 1))
      where r.name = ${room} order by u.generation, u.seq`,
  );
  const found: Original['seeds'] = [];
  const missing = new Set(wanted);
  for (const { generation, seq } of rows) {
    if (seq === null || missing.size === 0) break;
    const read = await db.ask((sql) => readRows(sql, room, generation, Number(seq) - 1, Number(seq)));
    for (const seed of readSeeds(
      read.flatMap(({ bytes }) => unpackUpdates(bytes)),
      missing,
    )) {
      missing.delete(seed.seed);
      found.push(seed);
    }
  }
  return { generation: rows[0]?.now ?? 0, seeds: found };
}
