import type { Database } from '#db/open.ts';
import { authorFor, namelessFor, type Nameless } from '#db/access.ts';
import { goOn, type Hands } from '#shared/meetings/changes.ts';
import type { ChangesAnswer, ChangesQuery } from '#shared/meetings/history.ts';
import { Spans } from '#shared/meetings/spans.ts';
import { invalid } from '#shared/problems.ts';
import { unpackUpdates } from '#sync/protocol.ts';
import { roomName } from '#sync/server/rooms.ts';
import { ThreadFailed } from '#sync/server/thread.ts';
import type { Ctx } from '../context.ts';
import { peopleBy } from '../people/names.ts';
import { accessTo } from '../rooms/access.ts';
import { noSuchVersion, rowsBetween, type Place } from '../rooms/at-version.ts';
import {
  authorsIn,
  changesInstead,
  changesWith,
  replaying,
  type FoundChanges,
  type Replayed,
} from '../rooms/whole-changes.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import { handsOf, legsBetween, legsTo, originsOf, type Leg } from './history-hands.ts';

/** Bytes of rows that are replayed in a thread; more are replayed in batches, as memory does not hold them at once. */
const mostReplayed = 32 * 1024 * 1024;

/** The transcript at a version, and its changes since an earlier one, by word and author, as JSON. */
export async function changesOf(
  ctx: Ctx,
  { id, version, since }: ChangesQuery & { id: string; version: number },
): Promise<Buffer<ArrayBuffer>> {
  await accessTo(ctx, 'GET /api/meetings/:id/versions/:version/changes', id);
  const count = await ctx.versions.count(id);
  const [place, before] = [count.placeOf(version), since === undefined ? null : count.placeOf(since)];
  if (!place || (since !== undefined && !before)) throw noSuchVersion();
  if (since !== undefined && since > version) throw invalid({ field: 'since', code: 'invalid' });

  const found = await compare(ctx, id, count.mends, place, before);
  const { title, titleBefore, speakers, people, segments } = found;
  const beside: Omit<ChangesAnswer, 'segments'> = {
    version,
    since: since ?? null,
    title,
    ...(titleBefore !== null && titleBefore !== title && { titleBefore }),
    speakers,
    people: await peopleBy(ctx, people),
  };
  const head = `${JSON.stringify(beside).slice(0, -1)},"segments":`;
  return Buffer.concat([Buffer.from(head), segments, Buffer.from('}')]);
}

async function compare(ctx: Ctx, id: string, mends: number, place: Place, before: Place | null): Promise<FoundChanges> {
  const { versions, wholes } = ctx;
  const { ask } = ctx.db;
  const room = roomName(id, 'transcript', null);
  const [origins, nameless] = await Promise.all([
    originsOf(ask, room),
    ask((sql) => namelessFor(sql, id, ctx.person?.id ?? null)),
  ]);
  const hands = await versions.inTurn(() => handsOf(ask, { room, nameless }, legsTo(place, origins)));
  const written = hands.all;
  const who = askerOf(ctx);
  if (!before) {
    const now = await versions.stored(id, place, mends);
    return apartIf(
      wholes.isLong(now),
      () => wholes.answer(who, now, place.generation, 'authors', [written]),
      async () => authorsIn(await versions.docOf(id, place, mends), written),
    );
  }
  const old = await versions.stored(id, before, mends);
  const way = legsBetween(before, place, origins);
  if (way) {
    const rows = wholes.isLong(old) ? await versions.inTurn(() => rowsOn(ask, { room, nameless }, way)) : null;
    return apartIf(
      rows !== null,
      () => wholes.answerOf(who, 'changesBy', old, rows ?? [], written),
      async () => {
        const was = await versions.docOf(id, before, mends);
        return versions.inTurn(async () => {
          const doc = replaying(was);
          const gone: Hands = new Spans();
          for await (const some of replayed(ask, { room, nameless }, way)) goOn(doc, some, gone);
          return changesWith(was, doc, gone, hands);
        });
      },
    );
  }
  const now = await versions.stored(id, place, mends);
  const [begun] = await ask(
    (sql) => sql<{ user_id: string | null; at: Date }[]>`
      select user_id, at from room_updates where room = ${room} and generation = ${before.generation + 1} and seq = 1`,
  );
  const by = begun ? authorFor(nameless, begun.user_id, new Date(begun.at)) : null;
  return apartIf(
    wholes.isLong(old) || wholes.isLong(now),
    () => wholes.answerOf(who, 'changesInstead', old, now, written, by),
    async () => {
      const [was, doc] = [await versions.docOf(id, before, mends), await versions.docOf(id, place, mends)];
      return changesInstead(was, doc, written, by);
    },
  );
}

/** Work in a thread, or here where it is short or the thread could not do it. */
async function apartIf<T>(long: boolean, apart: () => Promise<T>, here: () => Promise<T>): Promise<T> {
  if (!long) return here();
  try {
    return await apart();
  } catch (error) {
    if (error instanceof ThreadFailed) return here();
    throw error;
  }
}

interface Log {
  room: string;
  nameless: readonly Nameless[];
}

/** Rows of the log in batches. */
async function* replayed(
  ask: Database['ask'],
  { room, nameless }: Log,
  way: readonly Leg[],
): AsyncGenerator<Replayed[]> {
  for (const { generation, after, upTo } of way)
    for await (const rows of rowsBetween(ask, room, generation, after, upTo))
      yield rows.map(({ userId, bytes, at }) => ({
        ...{ userId: authorFor(nameless, userId, new Date(at)), updates: unpackUpdates(bytes) },
      }));
}

/** All of them; null where they are too many. */
async function rowsOn(ask: Database['ask'], log: Log, way: readonly Leg[]): Promise<Replayed[] | null> {
  const rows: Replayed[] = [];
  let size = 0;
  for await (const some of replayed(ask, log, way)) {
    for (const { updates } of some) for (const { byteLength } of updates) size += byteLength;
    if (size > mostReplayed) return null;
    rows.push(...some);
  }
  return rows;
}
