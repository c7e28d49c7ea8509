import { readAnnotations, type Comment, type Outcome } from '#shared/meetings/annotations.ts';
import { readGrades } from '#shared/meetings/grades.ts';
import { typesAsked, typesOfModel } from '#shared/meetings/outcome-schema.ts';
import type { AgreementView } from '#shared/reviews/agreement-view.ts';
import {
  agreementOf,
  fleissKappa,
  nominal,
  ordinal,
  sharesOf,
  weightedKappa,
  type Unit,
} from '#shared/reviews/agreement.ts';
import {
  childUnits,
  gradedTypes,
  gradeIn,
  gradeUnits,
  spreadOf,
  type Assessment,
} from '#shared/reviews/assessments.ts';
import { isBlind, isCounted, phaseOf, type Review } from '#shared/reviews/review.ts';
import type { Marks } from '#shared/reviews/marked.ts';
import { machineOutcomes } from './suggested.ts';
import type { Ctx } from '../context.ts';
import { learnTypes } from '../outcome-models/learn.ts';
import { setsOfTypes } from '../outcome-models/named.ts';
import { askerOf, type Asker } from '../rooms/whole-documents.ts';
import { ownsMeeting, partIn, type ReviewId } from './part.ts';
import { keyOf, layersIn, type LayerRow, type StoredReview } from './rows.ts';

// How far the reviewers whose assessments count agree. The figures depend on the layers that the caller reads alone: they
// are absent if one of them is missing.

export interface Assessed extends Assessment {
  outcomes: readonly Outcome[];
  comments: readonly Comment[];
  /** Version of the layer they were read from. */
  version: number;
}

export async function viewAgreement(ctx: Ctx, named: ReviewId): Promise<{ agreement: AgreementView | null }> {
  const found = await partIn(ctx, ctx.db.orm, named, { owns: ownsMeeting(ctx, named.id) });
  const { layers, access } = await layersIn(ctx.db.orm, [found.row.id]);
  const counted = countedIn(found.review);
  const mine = new Set(access.flatMap((one) => (keyOf(one) === found.by.principal ? one.layerId : [])));
  const wanted = counted.map((one) => layerOf(found.review, layers, one.id));
  // A single assessment is absent as well, so that the answer to its reviewer says nothing of others.
  if (counted.length < 2 || !wanted.every((layer) => layer !== null && mine.has(layer.id))) return { agreement: null };
  const assessed = await assessmentsIn(ctx, found, layers);
  const figures = await figuresOf(ctx, askerOf(ctx), found, assessed);
  const sets = await setsOfTypes(
    ctx,
    figures.competencies.map(({ type }) => type),
  );
  const machineLayer = layers.find(({ id, kind }) => kind === 'machine' && mine.has(id)) ?? null;
  const machine = await machineBeside(ctx, found.row.meetingId, assessed, machineLayer);
  return { agreement: { ...figures, machine, blind: found.row.blindFigures, sets } };
}

/** Suggestions of the machine's layer beside what people marked; null without any. */
async function machineBeside(
  ctx: Ctx,
  meetingId: string,
  assessed: readonly Assessed[],
  layer: LayerRow | null,
): Promise<AgreementView['machine']> {
  const suggested = layer ? await machineOutcomes(ctx, meetingId, layer.id) : [];
  if (suggested.length === 0) return null;
  const all = marksOf([...assessed, { outcomes: suggested }]);
  return (await ctx.documents.answer(meetingId, askerOf(ctx), 'markedBeside', all)).answer;
}

/** Reviewers whose assessments count: those of the first opening, while it is open. */
export function countedIn(review: Review): Review['reviewers'] {
  const counted = review.reviewers.filter(isCounted);
  const phase = phaseOf(review);
  const { blindRecord } = review;
  if ((phase !== 'open' && phase !== 'published') || blindRecord === null) return counted;
  return review.reviewers.filter(({ id }) => blindRecord.includes(id));
}

export const layerOf = (review: Review, layers: readonly LayerRow[], reviewerId: string): LayerRow | null =>
  (isBlind(review)
    ? layers.find(({ kind, reviewerId: of }) => kind === 'own' && of === reviewerId)
    : layers.find(({ kind }) => kind === 'shared')) ?? null;

/** Assessments of all counted reviewers, independent of the caller. */
export async function assessmentsIn(
  ctx: Pick<Ctx, 'documents' | 'db'>,
  { row: { meetingId, outcomeModel }, review }: StoredReview,
  layers: readonly LayerRow[],
): Promise<Assessed[]> {
  const opened = phaseOf(review) === 'open' || phaseOf(review) === 'published';
  await learnTypes(ctx.db.orm, [outcomeModel]);
  return Promise.all(
    // Reviewers who have not begun say nothing yet.
    countedIn(review)
      .filter(({ status }) => opened || status !== 'new')
      .map(async ({ id, principal, status }): Promise<Assessed> => {
        const layer = layerOf(review, layers, id);
        const author = review.anonymous ? id : principal;
        const read = await readLayer(ctx, meetingId, layer, layer?.kind === 'shared' ? author : null);
        return { ...{ reviewerId: id, done: opened || status === 'complete' }, ...read };
      }),
  );
}

/** Annotations and grades of a layer; of one that several people share, those of `author` alone. */
export async function readLayer(
  { documents, db }: Pick<Ctx, 'documents' | 'db'>,
  meetingId: string,
  layer: Pick<LayerRow, 'id'> | null,
  author: string | null = null,
): Promise<Pick<Assessed, 'outcomes' | 'comments' | 'grades' | 'version'>> {
  if (!layer) return { outcomes: [], comments: [], grades: new Map(), version: 0 };
  const read = await documents.read(
    meetingId,
    (doc, { version }) => ({
      outcomes: readAnnotations(doc, 'outcome', 'shared'),
      comments: readAnnotations(doc, 'comment', 'shared'),
      grades: readGrades(doc),
      version,
    }),
    { part: 'layer', of: layer.id },
  );
  await learnTypes(
    db.orm,
    [...read.outcomes, ...read.grades.values()].map(({ type }) => type),
  );
  const isTheirs = (by: string) => author === null || by === author;
  return {
    outcomes: read.outcomes.filter((one) => isTheirs(one.author.id)),
    comments: read.comments.filter((one) => isTheirs(one.author.id)),
    grades: new Map([...read.grades.values()].filter(({ by }) => isTheirs(by)).map((grade) => [grade.type, grade])),
    version: read.version,
  };
}

/** Types that the review asks for; those of its set as they were when the first reviewer began. */
export const askedTypes = ({ row }: StoredReview) =>
  row.askedTypes === null ? typesOfModel(row.outcomeModel ?? 'meeting') : typesAsked(row.askedTypes);

type Figures = Omit<AgreementView, 'blind' | 'machine' | 'sets'>;

/** `who`: null for a job. */
export async function figuresOf(
  { documents }: Pick<Ctx, 'documents'>,
  who: Asker | null,
  found: StoredReview,
  assessed: readonly Assessed[],
): Promise<Figures> {
  const types = gradedTypes(askedTypes(found), assessed);
  const units = gradeUnits(types, assessed);
  const shares = sharesOf(units, ordinal);
  const { answer: marked } = await documents.answer(found.row.meetingId, who, 'markedWords', marksOf(assessed));
  return {
    people: assessed.map(({ reviewerId, done }) => ({ reviewerId, done })),
    grades: agreementOf(units, ordinal),
    details: detailsOf(units),
    children: agreementOf(childUnits(types, assessed), nominal),
    words: marked.words,
    competencies: types.map(({ id }, i) => ({
      type: id,
      grades: assessed.map((one) => ({ reviewerId: one.reviewerId, ...gradeIn(one, id) })),
      spread: spreadOf(units[i] ?? []),
      share: shares[i] ?? 0,
      passages: marked.disputed.get(id) ?? [],
    })),
  };
}

/** Weighted kappa of two people, Fleiss' kappa of more; only of competencies that all have graded. */
function detailsOf(units: readonly Unit[]): Figures['details'] {
  const whole = units.flatMap((unit) => (unit.every((one) => one !== null) ? [unit] : []));
  const size = whole[0]?.length ?? 0;
  if (size < 2) return null;
  const pairs = whole.map(([one = 0, other = 0]): [number, number] => [one, other]);
  const kappa = size === 2 ? weightedKappa(pairs, (one, other) => Math.abs(one - other)) : fleissKappa(whole);
  return { figure: size === 2 ? 'weighted' : 'fleiss', kappa, units: whole.length };
}

/** Assessments as a thread gets them. */
const marksOf = (assessed: readonly Marks[]): Marks[] =>
  assessed.map(({ reviewerId, outcomes }) => ({
    ...(reviewerId !== undefined && { reviewerId }),
    outcomes: outcomes.map(({ type, anchor, start, end, quote }) => ({ type, anchor, start, end, quote })),
  }));
