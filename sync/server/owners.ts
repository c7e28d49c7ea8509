import type { Sql } from 'postgres';
import type { Limits } from '../protocol.ts';
import type { RoomWorld } from './context.ts';

export type ClaimClient = RoomWorld['claim'];

interface Waiting {
  room: string;
  generation: number;
  clientId: number;
  userId: string;
  most: number;
  resolve(owner: string | null): void;
  reject(error: unknown): void;
}

const batchRows = 1000;
const day = 86_400_000;
/** Time after a restored backup in which browsers bring back what it lacks, that of other people included (G3a). */
const returnDays = 30;

/**
 * Asks the database for the owner of a client id: the first person who came with it. As with the log, questions gather
 * while one is under way, so a crowd that comes back at once costs a few statements.
 */
export function claims(sql: Sql, limits: Limits, now: () => Date): ClaimClient {
  let waiting: Waiting[] = [];
  let flying = false;

  async function fly(): Promise<void> {
    await Promise.resolve();
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchRows);
      waiting = waiting.slice(batchRows);
      try {
        const owners = new Map(await ask(sql, batch, limits, now()));
        // The first statement saw no owner if another process was quicker; a second one sees it.
        const unclear = batch.filter((one) => one.most > 0 && !owners.has(keyOf(one)));
        if (unclear.length > 0) for (const found of await ask(sql, unclear, limits, now())) owners.set(...found);
        for (const one of batch) one.resolve(owners.get(keyOf(one)) ?? null);
      } catch (error) {
        for (const one of batch) one.reject(error);
      }
    }
    flying = false;
  }

  const most = { written: limits.clientIdsPerPersonAndDay, seen: limits.clientIdsPerPersonAndDay / 2, look: 0 };
  return (room, generation, clientId, userId, how) =>
    new Promise((resolve, reject) => {
      waiting.push({ room, generation, clientId, userId, most: most[how], resolve, reject });
      if (flying) return;
      flying = true;
      void fly();
    });
}

const keyOf = ({ room, clientId, userId }: Waiting): string => `${room} ${clientId} ${userId}`;

/** Counts owners in older generations of the document, too: ids survive where a version is restored. */
async function ask(
  sql: Sql,
  batch: readonly Waiting[],
  limits: Limits,
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  const dayAgo = new Date(now.getTime() - day).toISOString();
  const returning = new Date(now.getTime() - returnDays * day).toISOString();
  const rows = await sql<{ room: string; client_id: string; asker: string; owner: string }[]>`
    with given as (
      select g.*, coalesce(r.restored_at > ${returning}::timestamptz, false) as returning from unnest(${batch.map((one) => one.room)}::text[], ${batch.map((one) => one.generation)}::int[],
        ${batch.map((one) => one.clientId)}::bigint[], ${batch.map((one) => one.userId)}::text[],
        ${batch.map((one) => Math.floor(one.most))}::int[]) as g(room, generation, client_id, user_id, most)
      join rooms r on r.name = g.room
    ), owned as (
      select distinct on (g.room, g.client_id, g.user_id) g.room, g.client_id, g.user_id as asker,
        case when g.returning then g.user_id else c.user_id end as owner
      from given g left join room_clients c on c.room = g.room and c.client_id = g.client_id
      where c.client_id is not null or (g.returning and g.most = 0)
      order by g.room, g.client_id, g.user_id, c.generation desc
    ), added as (
      insert into room_clients (room, generation, client_id, user_id, at)
      select distinct on (g.room, g.client_id) g.room, g.generation, g.client_id, g.user_id, ${now.toISOString()}::timestamptz
      from given g
      where g.most > 0
        and not exists (select 1 from owned o where o.room = g.room and o.client_id = g.client_id)
        and (select count(*) from room_clients c where c.room = g.room and c.generation = g.generation
          and c.user_id = g.user_id and c.at > ${dayAgo}::timestamptz) < g.most
        and (select count(*) from room_clients c where c.room = g.room and c.generation = g.generation) < ${limits.clientIdsPerDocument}
        -- People with the link alone can pose as many people: together they get half of the document's ids.
        and (g.user_id not like 'anonymous:%' or (select count(*) from room_clients c
          where c.room = g.room and c.generation = g.generation and c.user_id like 'anonymous:%') < ${Math.ceil(limits.clientIdsPerDocument / 2)})
      on conflict do nothing
      returning room, client_id, user_id
    )
    select room, client_id, asker, owner from owned
    union all select g.room, g.client_id, g.user_id, a.user_id from added a join given g using (room, client_id)`;
  return new Map(rows.map((row) => [`${row.room} ${row.client_id} ${row.asker}`, row.owner]));
}
