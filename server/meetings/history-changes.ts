import * as Y from 'yjs';
import { authorFor, namelessFor, type Nameless } from '#db/access.ts';
import { readAbout } from '#shared/meetings/about.ts';
import {
  authorsOf,
  changesBetween,
  changesSince,
  goOn,
  stateOf,
  type ChangedSegment,
  type Hands,
} from '#shared/meetings/changes.ts';
import type { ChangesAnswer, ChangesQuery } from '#shared/meetings/history.ts';
import { toSeconds } from '#shared/meetings/seed.ts';
import { Spans } from '#shared/meetings/spans.ts';
import { readSpeakers } from '#shared/meetings/speakers.ts';
import { readWords } from '#shared/meetings/words.ts';
import { invalid } from '#shared/problems.ts';
import { unpackUpdates } from '#sync/protocol.ts';
import { roomName } from '#sync/server/rooms.ts';
import type { Ctx } from '../context.ts';
import { accessTo } from '../rooms/access.ts';
import { noSuchVersion, rowsBetween, type Place } from '../rooms/at-version.ts';
import { handsOf, legsBetween, legsTo, originsOf, type Leg } from './history-hands.ts';
import { peopleBy } from '../people/names.ts';

interface Compared {
  /** The later of the two documents. */
  doc: Y.Doc;
  segments: ChangedSegment[];
  titleBefore: string | null;
}

/** The transcript at a version, and its changes since an earlier one, by word and author. */
export async function changesOf(
  ctx: Ctx,
  { id, version, since }: ChangesQuery & { id: string; version: number },
): Promise<ChangesAnswer> {
  await accessTo(ctx, 'GET /api/meetings/:id/versions/:version/changes', id);
  const count = await ctx.versions.count(id);
  const [place, before] = [count.placeOf(version), since === undefined ? null : count.placeOf(since)];
  if (!place || (since !== undefined && !before)) throw noSuchVersion();
  if (since !== undefined && since > version) throw invalid({ field: 'since', code: 'invalid' });

  const { doc, segments, titleBefore } = await compare(ctx, id, count.mends, place, before);
  const { title } = readAbout(doc);
  // Text before the first segment is not timed; it may have been deleted.
  const { segments: spoken } = readWords(doc);
  let next = 0;
  return {
    version,
    since: since ?? null,
    title,
    ...(titleBefore !== null && titleBefore !== title && { titleBefore }),
    speakers: readSpeakers(doc),
    people: await peopleBy(
      ctx,
      segments.flatMap(({ pieces }) => pieces.flatMap(({ by = [] }) => by)),
    ),
    segments: segments.map(({ id: segment, speaker, speakerBefore, split, pieces, changed }) => {
      const stands = segment !== null || pieces.some(({ kind }) => kind !== 'gone');
      const timed = stands ? spoken[next] : undefined;
      if (stands) next += 1;
      return {
        id: segment,
        speaker,
        ...(speakerBefore !== undefined && { speakerBefore }),
        ...(split && { split }),
        start: toSeconds(timed?.from ?? 0),
        end: toSeconds(timed?.to ?? 0),
        changed,
        pieces: pieces.map(({ kind, text, by }) => ({ kind, text, ...(by && { by: [...by] }) })),
      };
    }),
  };
}

async function compare(ctx: Ctx, id: string, mends: number, place: Place, before: Place | null): Promise<Compared> {
  const { ask } = ctx.db;
  const room = roomName(id, 'transcript', null);
  const [origins, nameless] = await Promise.all([
    originsOf(ask, room),
    ask((sql) => namelessFor(sql, id, ctx.person?.id ?? null)),
  ]);
  const written = await ctx.versions.inTurn(() => handsOf(ask, { room, nameless }, legsTo(place, origins)));
  if (!before) {
    const doc = await ctx.versions.docOf(id, place, mends);
    return { doc, segments: authorsOf(doc, written), titleBefore: null };
  }
  const was = await ctx.versions.docOf(id, before, mends);
  const titleBefore = readAbout(was).title;
  const way = legsBetween(before, place, origins);
  if (way) {
    const { doc, gone } = await ctx.versions.inTurn(() => replay(ctx, { room, nameless }, was, way));
    return { doc, segments: changesSince(doc, stateOf(was), written, gone), titleBefore };
  }
  const doc = await ctx.versions.docOf(id, place, mends);
  const [begun] = await ask(
    (sql) => sql<{ user_id: string | null; at: Date }[]>`
      select user_id, at from room_updates where room = ${room} and generation = ${before.generation + 1} and seq = 1`,
  );
  const by = begun ? authorFor(nameless, begun.user_id, new Date(begun.at)) : null;
  return { doc, segments: changesBetween(was, doc, written, by), titleBefore };
}

/** Replays rows on an earlier document, keeping the text they delete. */
async function replay(
  ctx: Ctx,
  { room, nameless }: { room: string; nameless: readonly Nameless[] },
  was: Y.Doc,
  way: readonly Leg[],
): Promise<{ doc: Y.Doc; gone: Hands }> {
  const doc = new Y.Doc({ gc: false });
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(was));
  const gone: Hands = new Spans();
  for (const { generation, after, upTo } of way)
    for await (const rows of rowsBetween(ctx.db.ask, room, generation, after, upTo))
      goOn(
        doc,
        rows.map(({ userId, bytes, at }) => ({
          ...{ userId: authorFor(nameless, userId, new Date(at)), updates: unpackUpdates(bytes) },
        })),
        gone,
      );
  return { doc, gone };
}
