import { and, eq, inArray } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { layers, reviews } from '#db/schema/reviews.ts';
import { rooms } from '#db/schema/rooms.ts';
import { Problem } from '#shared/problems.ts';
import type { BlindRecord } from '#shared/reviews/agreement-view.ts';
import { intervalOf, ordinal } from '#shared/reviews/agreement.ts';
import { gradedTypes, gradeUnits } from '#shared/reviews/assessments.ts';
import type { Ctx } from '../context.ts';
import { versionOf } from '../rooms/version.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import { askedTypes, assessmentsIn, countedIn, figuresOf, layerOf } from './agreement.ts';
import { layersIn, loadReview, type LayerRow, type StoredReview } from './rows.ts';

// Agreement of the assessments that the first opening of a review counts. It is stored by the transaction that opens the
// review, so that nothing that is read or changed afterwards can be in it.

/** Seed of the resamples: the same figures give the same interval. */
const seed = 17;
const mostReadings = 16;
/** Readings after which one is taken that somebody has typed since: a busy review must open. */
const exactReadings = 8;

/** Figures of assessments, and the state that they were read from. */
export interface BlindReading {
  figures: Omit<BlindRecord, 'at'>;
  /** Versions of the layers, by the reviewers who are counted. */
  versions: ReadonlyMap<string, number>;
  /** How far the reviewers were. */
  people: string;
  /** Taken only if nobody has typed since. */
  isExact: boolean;
}

/** Reviewers and how far they are: who completes has stored all of their assessment before. */
const progressOf = ({ review }: StoredReview): string =>
  JSON.stringify(review.reviewers.map(({ id, status }) => [id, status]));

/** Rolls back an opening whose assessments were not read, or were changed since. */
class NotRead extends Error {
  readonly opening: StoredReview;

  constructor(opening: StoredReview) {
    super('the assessments of an opening have not been read');
    this.opening = opening;
  }
}

/**
 * Runs work that may open a review, again with its assessments if it does. They are read outside of its transaction, which
 * then would need two connections.
 */
export async function withBlindReading<T>(
  ctx: Ctx,
  work: (reading: BlindReading | undefined) => Promise<T>,
): Promise<T> {
  let reading: BlindReading | undefined;
  for (let tries = 0; tries < mostReadings; tries += 1) {
    try {
      return await work(reading);
    } catch (error) {
      if (!(error instanceof NotRead)) throw error;
      // No work comes after the last try.
      if (tries + 1 < mostReadings) reading = await readBlind(ctx, error.opening, tries < exactReadings);
    }
  }
  throw new Problem('UNAVAILABLE', { retryAfter: 1 });
}

async function readBlind(ctx: Ctx, opening: StoredReview, isExact: boolean): Promise<BlindReading> {
  const { layers: known } = await layersIn(ctx.db.orm, [opening.row.id]);
  const assessed = await assessmentsIn(ctx, opening, known);
  const { grades, children, words, people } = await figuresOf(ctx, askerOf(ctx), opening, assessed);
  const units = gradeUnits(gradedTypes(askedTypes(opening), assessed), assessed);
  return {
    figures: {
      people: people.map(({ reviewerId }) => reviewerId),
      ...{ grades, children, words, interval: intervalOf(units, ordinal, seed) },
    },
    versions: new Map(assessed.map(({ reviewerId, version }) => [reviewerId, version])),
    people: progressOf(opening),
    isExact,
  };
}

/**
 * Stores the figures in the transaction that opens the review for the first time. Where people type all the time, they may
 * be of a moment before: with all that was there when the last of them completed, and nothing of afterwards.
 */
export async function keepBlindRecord(
  tx: Orm,
  { id: reviewId, meetingId }: StoredReview['row'],
  reading: BlindReading | undefined,
): Promise<void> {
  const opening = await loadReview(tx, { meetingId, reviewId });
  if (!opening?.row.openedAt) throw new Error('no review opens');
  const { layers: known } = await layersIn(tx, [reviewId]);
  const counted = countedIn(opening.review).map(({ id }) => ({ id, layer: layerOf(opening.review, known, id) }));
  const versions = await versionsOf(
    tx,
    counted.flatMap(({ layer }) => layer ?? []),
  );
  const isRead =
    reading?.versions.size === counted.length &&
    reading.people === progressOf(opening) &&
    counted.every(
      ({ id, layer }) =>
        reading.versions.has(id) &&
        (!reading.isExact || reading.versions.get(id) === (versions.get(layer?.id ?? '') ?? 0)),
    );
  if (!isRead) throw new NotRead(opening);
  const blindFigures: BlindRecord = { at: opening.row.openedAt.toISOString(), ...reading.figures };
  await tx.update(reviews).set({ blindFigures }).where(eq(reviews.id, reviewId));
}

/** Versions of layers, which nobody changes until the transaction ends. */
async function versionsOf(tx: Orm, counted: readonly LayerRow[]): Promise<Map<string, number>> {
  const ids = [...new Set(counted.map(({ id }) => id))];
  if (ids.length === 0) return new Map();
  await tx
    .select({ id: layers.id })
    .from(layers)
    .where(inArray(layers.id, ids))
    .orderBy(layers.id)
    .for('no key update');
  const found = await tx
    .select()
    .from(rooms)
    .where(and(eq(rooms.part, 'layer'), inArray(rooms.layerId, ids)));
  return new Map(found.map((room) => [room.layerId ?? '', versionOf(room)]));
}
