import { authorFor, authorIn, type Nameless } from '#db/access.ts';
import { readRowsOf } from '#db/updates.ts';
import type { Database } from '#db/open.ts';
import type { Hands } from '#shared/meetings/changes.ts';
import { Spans } from '#shared/meetings/spans.ts';
import { unpackUpdates } from '#sync/protocol.ts';
import { inspect, ofTheHouse } from '#sync/server/inspect.ts';
import type { Place } from '../rooms/at-version.ts';

type Ask = Database['ask'];

/** Rows of one generation, after the first number up to the second. */
export interface Leg {
  generation: number;
  after: number;
  upTo: number;
}

/** Earlier states that later generations were restored from. */
type Origins = ReadonlyMap<number, Place>;

export async function originsOf(ask: Ask, room: string): Promise<Origins> {
  const rows = await ask(
    (sql) => sql<{ generation: number; from_generation: number; from_seq: string }[]>`
      select generation, from_generation, from_seq from room_origins where room = ${room}`,
  );
  return new Map(
    rows.map((row) => [row.generation, { generation: row.from_generation, seq: Number(row.from_seq) }] as const),
  );
}

/** All rows that led to a state, the oldest first, through the states it was restored from. */
export function legsTo(place: Place, origins: Origins): Leg[] {
  const legs: Leg[] = [];
  for (let at: Place | undefined = place; at;) {
    const { generation, seq }: Place = at;
    const origin = origins.get(generation);
    // The first row of a restored generation only repeats the earlier state.
    legs.unshift({ generation, after: origin ? 1 : 0, upTo: seq });
    at = origin;
  }
  return legs;
}

/** Rows from one state to another; null if the first is not a predecessor of the second. */
export function legsBetween(from: Place, to: Place, origins: Origins): Leg[] | null {
  const legs = legsTo(to, origins);
  const first = legs.findIndex(({ generation, upTo }) => generation === from.generation && from.seq <= upTo);
  if (first === -1) return null;
  return legs.slice(first).map((leg, i) => (i === 0 ? { ...leg, after: Math.max(leg.after, from.seq) } : leg));
}

/**
 * Authors of characters. A client id belongs to one person permanently (G3 of sync/SPEC.md), so that it usually names
 * the author; the server's writes for people have their own client ids, whose rows name the author.
 */
export async function handsOf(
  ask: Ask,
  { room, nameless }: { room: string; nameless: readonly Nameless[] },
  legs: readonly Leg[],
): Promise<Hands> {
  const people = new Map<number, Set<string | null>>();
  for (const { generation, after, upTo } of legs) {
    const rows = await ask(
      (sql) => sql<{ user_id: string | null; client: string }[]>`
        select distinct ${nobodyFirst(sql, nameless, generation)} as user_id, unnest(client_ids) as client from room_updates u
        where room = ${room} and generation = ${generation} and seq > ${after} and seq <= ${upTo}`,
    );
    for (const { user_id: userId, client } of rows) {
      const authors = people.get(Number(client));
      if (authors) authors.add(userId);
      else people.set(Number(client), new Set([userId]));
    }
  }
  const hands: Hands = new Spans();
  const shared: number[] = [];
  for (const [client, authors] of people) {
    const [userId = null] = authors;
    if (authors.size === 1) hands.add(client, 0, Infinity, userId);
    else shared.push(client);
  }
  if (shared.length > 0) await readShared(ask, { room, nameless }, legs, shared, hands);
  return hands;
}

/** The first row of a later generation has no author, because it repeats or imports text. */
const nobodyFirst = (sql: Parameters<Parameters<Ask>[0]>[0], nameless: readonly Nameless[], generation: number) => {
  const author = authorIn(sql, nameless);
  return generation === 1 ? author : sql`case when seq = 1 then null else ${author} end`;
};

/** Rows that are read at once, and their bytes, unless one row alone has more. */
const rowsAtOnce = 1000;
const bytesAtOnce = 4 * 1024 * 1024;

function* batchesOf(rows: readonly { seq: string; bytes: number }[]): Generator<number[]> {
  let batch: number[] = [];
  let size = 0;
  for (const { seq, bytes } of rows) {
    if (batch.length > 0 && (batch.length === rowsAtOnce || size + bytes > bytesAtOnce)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(Number(seq));
    size += bytes;
  }
  if (batch.length > 0) yield batch;
}

async function readShared(
  ask: Ask,
  { room, nameless }: { room: string; nameless: readonly Nameless[] },
  legs: readonly Leg[],
  clients: readonly number[],
  hands: Hands,
): Promise<void> {
  const reach = new Map(clients.map((client) => [client, 0]));
  for (const { generation, after, upTo } of legs) {
    const rows = await ask(
      (sql) => sql<{ seq: string; bytes: number }[]>`
        select seq, length(bytes) as bytes from room_updates where room = ${room} and generation = ${generation}
          and seq > ${after} and seq <= ${upTo} and client_ids && ${[...clients]}::bigint[] order by seq`,
    );
    for (const batch of batchesOf(rows)) {
      for (const row of await ask((sql) => readRowsOf(sql, room, generation, batch)))
        for (const update of unpackUpdates(row.bytes))
          for (const [client, { to }] of inspect(update, ofTheHouse).ranges) {
            const have = reach.get(client);
            if (have === undefined || to <= have) continue;
            const imported = generation > 1 && row.seq === 1;
            hands.add(client, have, to, imported ? null : authorFor(nameless, row.userId, new Date(row.at)));
            reach.set(client, to);
          }
    }
  }
}
