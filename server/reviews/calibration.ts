import { voiceNotes, typeOf, type OutcomeType } from '#shared/meetings/outcome-types.ts';
import { gradesOfKey, type CalibrationAnswer } from '#shared/reviews/calibration.ts';
import { assesses } from '#shared/reviews/machine.ts';
import type { Calibrating } from '#shared/reviews/marked.ts';
import type { Ctx } from '../context.ts';
import { setsOfTypes } from '../outcome-models/named.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import { askedTypes, assessmentsIn, layerOf, readLayer, type Assessed } from './agreement.ts';
import { isOpen } from './key.ts';
import { ownsMeeting, partIn, type ReviewId } from './part.ts';
import { keyOf, layersIn, loadReview, type StoredReview } from './rows.ts';
import { knowsSecondPass } from './seen.ts';

// Assessments beside the key of their review. A reviewer sees this once theirs is complete; others see those that they read.
// A second pass lies beside the review before it, for its leader and supervisors alone.

export async function viewCalibration(ctx: Ctx, named: ReviewId): Promise<CalibrationAnswer> {
  const { orm } = ctx.db;
  const found = await partIn(ctx, orm, named, { owns: ownsMeeting(ctx, named.id) });
  const { row, review, by } = found;
  const beside = row.keyOf ?? (knowsSecondPass(review, by) ? row.secondOf : null);
  const key = beside === null ? null : await loadReview(orm, { meetingId: row.meetingId, reviewId: beside });
  // The person assessed reads the assessments of this review, and nothing of another one by it.
  if (!key || !isOpen(key) || review.student?.principal === by.principal) return { calibration: null };
  const { layers, access } = await layersIn(orm, [row.id]);
  const mine = new Set(access.flatMap((one) => (keyOf(one) === by.principal ? one.layerId : [])));
  const shown = review.reviewers.flatMap((one) => {
    const layer = layerOf(review, layers, one.id);
    const isRead = layer !== null && mine.has(layer.id) && one.status === 'complete';
    return isRead && assesses(one) ? { id: one.id, layer } : [];
  });
  if (shown.length === 0) return { calibration: null };
  const { people: ofKey, agreed } = await readKey(ctx, key);
  const people = await Promise.all(
    shown.map(async ({ id, layer }): Promise<Assessed> => {
      const read = await readLayer(ctx, row.meetingId, layer);
      return { reviewerId: id, done: true, ...read };
    }),
  );
  const all = [...ofKey, ...people];
  const types = typesIn(found, all);
  const calibrating: Calibrating = { types, ofKey, people, grades: gradesOfKey(types, ofKey, agreed) };
  const { answer: compared } = await ctx.documents.answer(row.meetingId, askerOf(ctx), 'calibrated', calibrating);
  const shownTypes = new Set(compared.flatMap(({ competencies }) => competencies.map(({ type }) => type)));
  return { calibration: { people: compared, sets: await setsOfTypes(ctx, [...shownTypes]) } };
}

/** Assessments that count in a key, and the grades that its people agreed on. */
async function readKey(ctx: Ctx, key: StoredReview): Promise<{ people: Assessed[]; agreed: Map<string, number> }> {
  const { layers } = await layersIn(ctx.db.orm, [key.row.id]);
  const people = await assessmentsIn(ctx, key, layers);
  const discussion = layers.find(({ kind }) => kind === 'discussion') ?? null;
  const { grades } = await readLayer(ctx, key.row.meetingId, discussion);
  return {
    people,
    agreed: new Map([...grades].flatMap(([type, { grade }]) => (grade === null ? [] : [[type, grade]]))),
  };
}

/** Types that the review asks for, and others that somebody used. */
function typesIn(found: StoredReview, all: readonly Assessed[]): OutcomeType[] {
  const asked = askedTypes(found);
  const used = all.flatMap(({ outcomes, grades }) => [...outcomes.map(({ type }) => type), ...grades.keys()]);
  const others = [...new Set(used)].flatMap((id) => (asked.some((type) => type.id === id) ? [] : (typeOf(id) ?? [])));
  return [...asked, ...others].filter(({ id }) => id !== voiceNotes.id);
}
