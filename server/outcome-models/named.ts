import { and, eq, inArray, sql } from 'drizzle-orm';
import type * as Y from 'yjs';
import type { Orm } from '#db/open.ts';
import { meetingSets, outcomeModels } from '#db/schema/outcome-models.ts';
import { accountTypeIds, isModelId, isOwnModel, type ModelId, type OwnModelId } from '#shared/account-choices.ts';
import { readAnnotations } from '#shared/meetings/annotations.ts';
import { readGrades } from '#shared/meetings/grades.ts';
import { preferring, readPreferred, writePreferred } from '#shared/meetings/outcome-schema.ts';
import { mostNamed, setOfType } from '#shared/meetings/own-types.ts';
import type { Part } from '#shared/meetings/parts.ts';
import type { SetsAnswer, SetView } from '#shared/outcome-models.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { rules } from '../limits.ts';
import { accessById, accessTo } from '../rooms/access.ts';
import { chosenBy } from './chosen.ts';
import { learnTypes } from './learn.ts';
import { refuseForeignSet } from './models.ts';

// Places where a set that people made can be used. A recording has the sets that somebody who may use them named for it,
// an assessment that of its review, too. The id of a set alone, written into a document, shows nobody its words.

interface Place {
  meetingId: string;
  layerId: string | null;
}

/** Sets of a recording or an assessment with their numbers of changes, and what its review asks for. */
export interface SetsAt {
  asked: ModelId | null;
  sets: readonly { id: OwnModelId; rev: number }[];
}

export async function setsAt({ db }: Pick<Ctx, 'db'>, { meetingId, layerId }: Place): Promise<SetsAt> {
  const [rows, [review]] = await db.ask((sql) =>
    Promise.all([
      sql<{ id: OwnModelId; rev: number }[]>`
        select id, rev from outcome_models where id in (
          select set_id from meeting_sets where meeting_id = ${meetingId}
          union all
          select r.outcome_model from layers l join reviews r on r.id = l.review_id where l.id = ${layerId}
        )
        order by id`,
      sql<{ model: string | null }[]>`
        select r.outcome_model as model from layers l join reviews r on r.id = l.review_id where l.id = ${layerId}`,
    ]),
  );
  const asked = review?.model ?? null;
  return { asked: isModelId(asked) ? asked : null, sets: rows.map(({ id, rev }) => ({ id, rev })) };
}

/** Learns types that are to be set; those of sets that are not of this recording or assessment do not exist here. */
export async function learnHere(
  ctx: Pick<Ctx, 'db'>,
  place: Place,
  types: readonly string[],
  field = 'outcome.type',
): Promise<void> {
  const wanted = types.flatMap((type) => setOfType(type) ?? []);
  if (wanted.length === 0) return;
  const { sets } = await setsAt(ctx, place);
  if (!wanted.every((set) => sets.some(({ id }) => id === set))) throw invalid({ field, code: 'unknown' });
  await learnTypes(ctx.db.orm, wanted);
}

/** Names a set for a recording; throws if the caller may not use it, unless it is named already. */
export async function nameSet(ctx: Ctx, meetingId: string, model: ModelId, field: string): Promise<void> {
  if (!isOwnModel(model)) return;
  await transaction(ctx, async (tx) => {
    const named = await namedLocked(tx, meetingId);
    if (named.includes(model)) return;
    await refuseForeignSet(tx, ctx.person?.id ?? '', model, field);
    if (named.length >= mostNamed) throw invalid({ field, code: 'too_many' });
    await tx.insert(meetingSets).values({ meetingId, setId: model });
  });
}

/**
 * Gives a recording that is added the set that its owner has chosen, or that their team forces, unless it has the set
 * already. From then on it is the recording's, whatever becomes of the choice. An error is only logged, as the recording
 * has been added by then: it stays with the built-in set.
 */
export async function bringSet(
  { db, documents, log }: Pick<Ctx, 'db' | 'documents' | 'log'>,
  { meetingId, ownerId }: { meetingId: string; ownerId: string },
): Promise<void> {
  try {
    const brought = await transaction({ db }, async (tx) => {
      const { accountType, model } = await chosenBy(tx, ownerId);
      if (!isOwnModel(model)) return null;
      const named = await namedLocked(tx, meetingId);
      if (named.includes(model) || named.length >= mostNamed) return null;
      // The team may have changed its mind meanwhile.
      await refuseForeignSet(tx, ownerId, model);
      await tx.insert(meetingSets).values({ meetingId, setId: model });
      return preferring(model, accountTypeIds.find((id) => id === accountType) ?? null);
    });
    if (!brought) return;
    await documents.inRoom(meetingId, (room) =>
      room.change({ userId: null, origin: 'seed' }, (doc) => {
        if (!readPreferred(doc)) writePreferred(doc, brought, 'seed');
      }),
    );
  } catch (error) {
    log.warn({ err: error, meeting: meetingId }, 'a recording was added without the set of outcome types of its owner');
  }
}

/** Sets that are named for a recording; no others are until the transaction ends. */
async function namedLocked(tx: Orm, meetingId: string): Promise<OwnModelId[]> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`sets in ${meetingId}`}, 0))`);
  const rows = await tx.select({ id: meetingSets.setId }).from(meetingSets).where(eq(meetingSets.meetingId, meetingId));
  return rows.map(({ id }) => id);
}

/** Sets to choose types from here. Outcomes that are here have types of no others. */
export async function listSets(ctx: Ctx, { id }: { id: string }): Promise<SetsAnswer> {
  return { models: await viewSets(ctx, await accessById(ctx, 'GET /api/meetings/:id/outcome-models', id)) };
}

/** Lets people choose types of this set in the recording. */
export async function addSet(ctx: Ctx, { id, set }: { id: string; set: OwnModelId }): Promise<SetsAnswer> {
  await accessTo(ctx, 'POST /api/meetings/:id/outcome-models', id);
  await ctx.limits.take(rules.outcomeModels, signedIn(ctx).person.id);
  await nameSet(ctx, id, set, 'id');
  return listSets(ctx, { id });
}

/** Takes a set from a recording in which nothing uses it. */
export async function removeSet(ctx: Ctx, { id, setId }: { id: string; setId: string }): Promise<void> {
  await accessTo(ctx, 'DELETE /api/meetings/:id/outcome-models/:setId', id);
  await ctx.limits.take(rules.outcomeModels, signedIn(ctx).person.id);
  const { sets } = await setsAt(ctx, { meetingId: id, layerId: null });
  const set = sets.find((one) => one.id === setId)?.id;
  if (set === undefined) throw new Problem('NOT_FOUND');
  const used = await setsUsed(ctx, id, await writtenRooms(ctx, id));
  if (used.has(set)) throw new Problem('CONFLICT', { message: "A set in use can't be removed" });
  await transaction(ctx, async (tx) => {
    await tx.delete(meetingSets).where(and(eq(meetingSets.meetingId, id), eq(meetingSets.setId, set)));
    await keepResult(ctx, tx, null);
  });
}

interface WrittenRoom {
  part: Part;
  of: string | null;
}

/** Rooms of a recording in which types can be used. */
const writtenRooms = ({ db }: Pick<Ctx, 'db'>, meetingId: string): Promise<WrittenRoom[]> =>
  db.ask(
    (query) => query<WrittenRoom[]>`
      select part, coalesce(layer_id, owner_id) as of from rooms
      where meeting_id = ${meetingId} and seq > 0 and part in ('transcript', 'outcomes', 'layer', 'notes')
      order by name`,
  );

/** Sets with a type that one of these rooms uses, or that the recording offers first. */
async function setsUsed(
  { documents }: Pick<Ctx, 'documents'>,
  meetingId: string,
  rooms: readonly WrittenRoom[],
): Promise<Set<string>> {
  const used = new Set<string>();
  for (const room of rooms)
    for (const id of await documents.read(meetingId, (doc) => idsIn(doc, room.part), room)) {
      const set = isOwnModel(id) ? id : setOfType(id);
      if (set !== null) used.add(set);
    }
  return used;
}

/** The model of a transcript, or the types in another room. */
function idsIn(doc: Y.Doc, part: Part): string[] {
  if (part === 'transcript') return [readPreferred(doc)?.model ?? ''];
  const outcomes = readAnnotations(doc, 'outcome', part === 'notes' ? 'private' : 'shared');
  const grades = part === 'layer' ? [...readGrades(doc).values()] : [];
  return [...outcomes, ...grades].map(({ type }) => type);
}

/** Sets whose words a page needs at once: those that are offered first, and those of types that its reader sees. */
export async function setsShown(
  ctx: Pick<Ctx, 'db' | 'documents' | 'person'>,
  { meetingId, layerId }: Place,
): Promise<SetView[]> {
  const { asked, sets } = await setsAt(ctx, { meetingId, layerId });
  if (sets.length === 0) return [];
  const me = ctx.person?.id ?? null;
  const rooms = (await writtenRooms(ctx, meetingId)).filter(({ part, of }) => {
    if (part === 'transcript') return true;
    if (part === 'notes') return of === me && me !== null;
    return part === 'layer' ? of === layerId : layerId === null;
  });
  const used = await setsUsed(ctx, meetingId, rooms);
  return setsById(
    ctx,
    sets.flatMap(({ id }) => (id === asked || used.has(id) ? id : [])),
  );
}

async function viewSets(ctx: Pick<Ctx, 'db'>, place: Place): Promise<SetView[]> {
  const { sets } = await setsAt(ctx, place);
  return setsById(
    ctx,
    sets.map(({ id }) => id),
  );
}

/** Sets of types that the caller reads outcomes of. */
export const setsOfTypes = (ctx: Pick<Ctx, 'db'>, types: readonly string[]): Promise<SetView[]> =>
  setsById(ctx, [...new Set(types.flatMap((type) => setOfType(type) ?? []))]);

async function setsById({ db }: Pick<Ctx, 'db'>, ids: readonly OwnModelId[]): Promise<SetView[]> {
  if (ids.length === 0) return [];
  const { id, name, language, types } = outcomeModels;
  return db.orm
    .select({ id, name, language, types })
    .from(outcomeModels)
    .where(inArray(outcomeModels.id, [...ids]))
    .orderBy(outcomeModels.name, outcomeModels.id);
}
