import { inArray } from 'drizzle-orm';
import { meetingSets, outcomeModels } from '#db/schema/outcome-models.ts';
import { isModelId, isOwnModel, type ModelId, type OwnModelId } from '#shared/account-choices.ts';
import { setOfType } from '#shared/meetings/own-types.ts';
import type { SetsAnswer, SetView } from '#shared/outcome-models.ts';
import { invalid } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import { accessById, accessTo } from '../rooms/access.ts';
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
  const { sets } = await setsAt(ctx, { meetingId, layerId: null });
  if (sets.some(({ id }) => id === model)) return;
  await refuseForeignSet(ctx.db.orm, ctx.person?.id ?? '', model, field);
  await ctx.db.orm.insert(meetingSets).values({ meetingId, setId: model }).onConflictDoNothing();
}

/** Sets to choose types from here. Outcomes that are here have types of no others. */
export async function listSets(ctx: Ctx, { id }: { id: string }): Promise<SetsAnswer> {
  return { models: await viewSets(ctx, await accessById(ctx, 'GET /api/meetings/:id/outcome-models', id)) };
}

/** Lets people choose types of this set in the recording. */
export async function addSet(ctx: Ctx, { id, set }: { id: string; set: OwnModelId }): Promise<SetsAnswer> {
  await accessTo(ctx, 'POST /api/meetings/:id/outcome-models', id);
  await nameSet(ctx, id, set, 'id');
  return listSets(ctx, { id });
}

export async function viewSets(ctx: Pick<Ctx, 'db'>, place: Place): Promise<SetView[]> {
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
