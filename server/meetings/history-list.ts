import { eq } from 'drizzle-orm';
import { versionNames } from '#db/schema/history.ts';
import { authorFor, namelessFor, type Nameless } from '#db/access.ts';
import type { Database } from '#db/open.ts';
import type { VersionGrain, VersionsAnswer, VersionsQuery, VersionView } from '#shared/meetings/history.ts';
import { roomName } from '#sync/server/rooms.ts';
import type { Ctx } from '../context.ts';
import { accessTo } from '../rooms/access.ts';
import { noSuchVersion, type Count, type Place } from '../rooms/at-version.ts';
import { originsOf } from './history-hands.ts';
import { peopleBy } from '../people/names.ts';

interface Grain {
  /** A pause of this length begins another version, and so does a change of author after `handover`. */
  pause: number;
  handover: number;
  /** Length of clock slots: continuous work gives one version in each. */
  slot: number;
}

const grains: Record<VersionGrain, Grain> = {
  moment: { pause: 15 * 60_000, handover: 2 * 60_000, slot: 60 * 60_000 },
  step: { pause: 2_000, handover: 2_000, slot: 10_000 },
};

export interface LogRow extends Place {
  userId: string | null;
  at: Date;
}

/** Rows grouped as one version of the list, with the state after the last row. */
interface RowGroup extends Place {
  first: number;
  from: Date;
  at: Date;
  people: Set<string | null>;
  edits: number;
}

/**
 * True if two adjacent rows belong to different versions of the list. Only the two rows count, so that a list is the
 * same wherever reading begins.
 */
export function parts(older: LogRow, newer: LogRow, grain: VersionGrain, named: ReadonlySet<number>): boolean {
  if (older.generation !== newer.generation || named.has(older.seq)) return true;
  // The first row of a later generation is not a person's change.
  if (older.seq === 1 && older.generation > 1) return true;
  // The server's changes are versions of their own.
  if ((older.userId === null) !== (newer.userId === null)) return true;
  const { pause, handover, slot } = grains[grain];
  const [before, after] = [older.at.getTime(), newer.at.getTime()];
  const rest = after - before;
  if (rest >= pause || (rest >= handover && older.userId !== newer.userId)) return true;
  return Math.floor(before / slot) !== Math.floor(after / slot);
}

const chunk = 2000;

/**
 * Rows from a position back to the start, the newest first, in batches; without those that change permissions or carry
 * highlights over.
 */
async function* rowsBack(
  ask: Database['ask'],
  { room, nameless }: { room: string; nameless: readonly Nameless[] },
  count: Count,
  from: Place,
): AsyncGenerator<LogRow[]> {
  for (let { generation, seq } = from; generation > 0; generation -= 1, seq = count.lastOf(generation)) {
    while (seq > 0) {
      const rows = await ask(
        (sql) => sql<{ seq: string; user_id: string | null; at: string }[]>`
          select seq, user_id, at from room_updates
          where room = ${room} and generation = ${generation} and seq <= ${seq} and octet_length(bytes) > 0
            and (user_id is not null or client_ids is not null)
          order by seq desc limit ${chunk}`,
      );
      if (rows.length === 0) break;
      const of = generation;
      yield rows.map((row) => {
        const at = new Date(row.at);
        return { generation: of, seq: Number(row.seq), userId: authorFor(nameless, row.user_id, at), at };
      });
      seq = Number(rows.at(-1)?.seq ?? 1) - 1;
    }
  }
}

/** Groups rows, which come newest first, into as many versions as requested. */
export async function gather(
  batches: AsyncIterable<readonly LogRow[]> | Iterable<readonly LogRow[]>,
  size: number,
  apart: (older: LogRow, newer: LogRow) => boolean,
): Promise<RowGroup[]> {
  const groups: RowGroup[] = [];
  let newer: LogRow | null = null;
  for await (const rows of batches)
    for (const row of rows) {
      const group: RowGroup | undefined = groups.at(-1);
      if (!group || !newer || apart(row, newer)) {
        if (groups.length === size) return groups;
        const { generation, seq, at, userId } = row;
        groups.push({ generation, seq, first: seq, from: at, at, people: new Set([userId]), edits: 1 });
      } else {
        group.first = row.seq;
        group.from = row.at;
        group.people.add(row.userId);
        group.edits += 1;
      }
      newer = row;
    }
  return groups;
}

/** Version history of a transcript, made of the rows of its log, which are never deleted. */
export async function listVersions(
  ctx: Ctx,
  { id, by, upTo, after, size }: VersionsQuery & { id: string },
): Promise<VersionsAnswer> {
  await accessTo(ctx, 'GET /api/meetings/:id/versions', id);
  const { ask } = ctx.db;
  const room = roomName(id, 'transcript', null);
  const [count, origins, carried, nameRows, nameless] = await Promise.all([
    ctx.versions.count(id),
    originsOf(ask, room),
    carriedIn(ask, room),
    ctx.db.orm.select().from(versionNames).where(eq(versionNames.meetingId, id)),
    ask((sql) => namelessFor(sql, id, ctx.person?.id ?? null)),
  ]);
  const place = (version: number | undefined): Place | null => {
    if (version === undefined) return null;
    const found = count.placeOf(version);
    if (!found) throw noSuchVersion();
    return found;
  };
  const [start, end] = [place(upTo) ?? count.now, place(after)];
  const names = new Map<string, (typeof nameRows)[number]>();
  for (const row of nameRows) {
    const named = count.placeOf(row.version);
    if (named) names.set(keyOf(named), row);
  }
  const namedIn = (generation: number) =>
    new Set([...names.keys()].flatMap((key) => (key.startsWith(`${generation} `) ? [Number(key.split(' ')[1])] : [])));
  const named = new Map(Array.from({ length: start.generation }, (_, i) => [i + 1, namedIn(i + 1)]));

  const groups = await gather(until(rowsBack(ask, { room, nameless }, count, start), end), size, (older, newer) =>
    parts(older, newer, by, named.get(older.generation) ?? new Set()),
  );
  const versions = groups.map((group): VersionView => {
    const { generation, first, from, at, people, edits } = group;
    const before: Place =
      first > 1 || generation === 1
        ? { generation, seq: first - 1 }
        : { generation: generation - 1, seq: count.lastOf(generation - 1) };
    const name = names.get(keyOf(group));
    const begins = first === 1 && generation > 1;
    const origin = begins ? origins.get(generation) : undefined;
    return {
      version: count.versionOf(group),
      before: count.versionOf(before),
      kind: origin ? 'restored' : begins ? 'replaced' : people.has(null) ? 'machine' : 'edited',
      from: from.toISOString(),
      at: at.toISOString(),
      by: [...people].filter((one) => one !== null).toSorted(),
      edits,
      name: name ? namedBy(nameless, name) : null,
      restored: origin ? count.versionOf(origin) : null,
      carried: begins ? (carried.get(generation) ?? null) : null,
    };
  });
  const last = groups.at(-1);
  const more = versions.length === size && last && !isBefore(last, end);
  return {
    versions,
    people: await peopleBy(
      ctx,
      versions.flatMap((one) => [...one.by, ...(one.name ? [one.name.by] : [])]),
    ),
    current: count.versionOf(count.now),
    next: more ? (versions.at(-1)?.before ?? null) : null,
  };
}

const namedBy = (
  nameless: readonly Nameless[],
  { name: text, userId, at }: typeof versionNames.$inferSelect,
): NonNullable<VersionView['name']> => ({
  ...{ text, by: authorFor(nameless, userId, at) ?? userId, at: at.toISOString() },
});

/** Counts of carried annotations at the beginning of each generation; absent until they are carried over. */
async function carriedIn(ask: Database['ask'], room: string): Promise<Map<number, { kept: number; lost: number }>> {
  const rows = await ask(
    (sql) => sql<{ generation: number; kept: number; lost: number }[]>`
      select generation, kept, lost from room_renewals where room = ${room} and carried_at is not null`,
  );
  return new Map(rows.map(({ generation, kept, lost }) => [generation, { kept, lost }]));
}

const keyOf = ({ generation, seq }: Place): string => `${generation} ${seq}`;

/** True if a group is the first one, or the first one requested. */
function isBefore({ generation, first }: RowGroup, end: Place | null): boolean {
  if (generation === 1 && first === 1) return true;
  return end !== null && end.generation === generation && first - 1 <= end.seq;
}

async function* until(batches: AsyncIterable<LogRow[]>, end: Place | null): AsyncGenerator<LogRow[]> {
  for await (const rows of batches) {
    const wanted = end
      ? rows.filter(
          ({ generation, seq }) => generation > end.generation || (generation === end.generation && seq > end.seq),
        )
      : rows;
    yield wanted;
    if (wanted.length < rows.length) return;
  }
}
