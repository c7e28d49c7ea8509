import { readableLayers, type AccessById } from '#db/access.ts';
import { evaluationOf, type EvaluationAnswer } from '#shared/reviews/evaluation.ts';
import { allows } from '#shared/roles.ts';
import { annotationsMark, gradesIn, sharedIn } from '../annotations/read.ts';
import type { Ctx } from '../context.ts';
import { learnTypes } from '../outcome-models/learn.ts';
import { setsOfTypes } from '../outcome-models/named.ts';
import { accessById } from '../rooms/access.ts';
import { machineLayerOf } from './machine-layer.ts';
import { machineOutcomes } from '../reviews/suggested.ts';
import { openSuggestions } from './suggestions.ts';

/**
 * Outcomes by type, with their grades: those that all readers of a recording share, or by a layer's id those of all
 * assessments of its review that the caller reads. A blind reviewer gets their own alone.
 */
export async function evaluate(ctx: Ctx, { id }: { id: string }): Promise<EvaluationAnswer> {
  const { meetingId, layerId, held } = await accessById(ctx, 'GET /api/meetings/:id/eval', id);
  const layerIds = layerId === null ? [null] : await assessmentsBeside(ctx, meetingId, layerId);
  const layers = await Promise.all(
    layerIds.map(async (one) => {
      const place = { meetingId, layerId: one };
      const mark = await annotationsMark(ctx, place);
      const [outcomes, sheet] = await Promise.all([sharedIn(ctx, place, mark, 'outcome'), gradesIn(ctx, place, mark)]);
      return { machine: false, outcomes, sheet };
    }),
  );
  const suggested = await suggestedTo(ctx, { meetingId, layerId, held });
  const machine = suggested.map(({ type }) => ({ type, grade: null, children: [] }));
  const types = [...layers.flatMap(({ outcomes, sheet }) => [...outcomes, ...sheet]), ...machine].map(
    ({ type }) => type,
  );
  await learnTypes(ctx.db.orm, types);
  return {
    outcomes: evaluationOf([...layers, { machine: true, outcomes: machine }]),
    sets: await setsOfTypes(ctx, types),
  };
}

/** Suggestions that wait, for people who decide on them; in a review all of its machine's layer, for who reads that. */
async function suggestedTo(ctx: Ctx, { meetingId, layerId, held }: AccessById) {
  if (layerId === null)
    return allows('GET /api/meetings/:id/outcomes/autodetect', held)
      ? openSuggestions(ctx, { meetingId, layer: null })
      : [];
  const userId = ctx.person?.id;
  const machine = userId === undefined ? null : await machineLayerOf(ctx, { meetingId, layerId, userId });
  return machine === null ? [] : machineOutcomes(ctx, meetingId, machine);
}

/** Assessments of a layer's review that the caller reads. */
async function assessmentsBeside(ctx: Ctx, meetingId: string, layerId: string): Promise<string[]> {
  const { person } = ctx;
  if (!person) return [];
  const readable = await ctx.db.ask((sql) => readableLayers(sql, person.id, meetingId));
  const review = readable.find(({ id }) => id === layerId)?.reviewId;
  return readable.flatMap(({ id, reviewId, kind }) =>
    reviewId === review && (kind === 'own' || kind === 'shared') ? id : [],
  );
}
