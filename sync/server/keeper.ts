import type { Sql } from 'postgres';
import { parts, type Part } from '#shared/meetings/parts.ts';

interface Keeping {
  /** How long a row is kept after a snapshot has taken its place. */
  days: number;
  /** Parts whose rows are deleted at all. */
  parts: readonly Part[];
}

/**
 * Every row of a transcript stays: only its rows tell who wrote which word, and what the text was at any moment. Outcomes
 * and comments carry their authors, and notes have only one.
 */
export const keeping: Keeping = { days: 7, parts: parts.filter((part) => part !== 'transcript') };

const batch = 5000;

/**
 * Deletes what no reading needs: rows behind the snapshot before the last, once they are old enough, and snapshots before
 * that one. Both snapshots must be whole now, so that one may still be lost without losing anything. Only rooms that may
 * have something to delete are examined.
 */
export async function keepLogs(
  sql: Sql,
  now: Date,
  { days, parts: going }: Keeping = keeping,
): Promise<{ rows: number; snapshots: number }> {
  const before = new Date(now.getTime() - days * 86_400_000).toISOString();
  const cleared = { rows: 0, snapshots: 0 };
  const candidates = await sql<{ room: string; generation: number; part: Part }[]>`
    select s.room, s.generation, r.part from room_snapshots s join rooms r on r.name = s.room
    group by s.room, s.generation, r.part
    having count(*) > 2 or (count(*) = 2 and r.part = any(${[...going]}) and exists (
      select 1 from room_updates u
      where u.room = s.room and u.generation = s.generation and u.seq <= min(s.seq) and u.at < ${before}::timestamptz))`;
  for (const { room, generation, part } of candidates) {
    const whole = await sql<{ seq: string }[]>`
      select seq from room_snapshots s where room = ${room} and generation = ${generation}
        and checksum = sha256(convert_to(room || '|' || generation || '|' || seq || '|', 'UTF8') || bytes)
        and not exists (select 1 from room_quarantine q
          where q.room = s.room and q.generation = s.generation and q.kind = 'snapshot' and q.seq = s.seq)
      order by seq desc limit 2`;
    const second = whole[1]?.seq;
    if (second === undefined) continue;
    const older = await sql`
      delete from room_snapshots where room = ${room} and generation = ${generation} and seq < ${second}`;
    cleared.snapshots += older.count;
    if (!going.includes(part)) continue;
    for (let count = batch; count === batch;) {
      // Deletes the oldest first, and only those before every row that stays, so that no gap arises.
      const gone = await sql`
        delete from room_updates where room = ${room} and generation = ${generation} and seq in (
          select seq from room_updates
          where room = ${room} and generation = ${generation} and seq <= ${second} and at < ${before}::timestamptz
            and seq < coalesce((
              select min(seq) from room_updates
              where room = ${room} and generation = ${generation} and at >= ${before}::timestamptz), ${second}::bigint + 1)
          order by seq limit ${batch})`;
      count = gone.count;
      cleared.rows += count;
    }
  }
  return cleared;
}
