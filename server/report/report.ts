import { redactText } from '#shared/formats/redact.ts';
import { attachmentIdIn } from '#shared/attachments.ts';
import { inOrder, type Comment } from '#shared/meetings/annotations.ts';
import { plainOf } from '#shared/meetings/rich-text.ts';
import { isAfterOpening } from '#shared/reviews/after-opening.ts';
import { publishedLayers } from '#shared/reviews/grants.ts';
import type { Actor } from '#shared/reviews/machine.ts';
import {
  reportedCompetencies,
  type ReportedComment,
  type ReportView,
  type ToldAssessment,
} from '#shared/reviews/report.ts';
import { phaseOf, type Review } from '#shared/reviews/review.ts';
import type { Ctx } from '../context.ts';
import { setsOfTypes } from '../outcome-models/named.ts';
import { askedTypes, assessmentsIn, layerOf, readLayer, type Assessed } from '../reviews/agreement.ts';
import { numberedName } from '../reviews/names.ts';
import { hasPart, ownsMeeting, partIn, type ReviewId } from '../reviews/part.ts';
import { accountsOf } from '../reviews/people.ts';
import { keyOf, layersIn, type LayerRow, type StoredReview } from '../reviews/rows.ts';
import { shownTitle } from '../rooms/projection.ts';
import { askerOf } from '../rooms/whole-documents.ts';

// The report for the person assessed, made of the layers that they read once the review is published: it is the same for
// everybody who asks. Of the discussion it has the agreed grades alone.

export async function viewReport(ctx: Ctx, named: ReviewId): Promise<{ report: ReportView | null }> {
  const found = await partIn(ctx, ctx.db.orm, named, { owns: ownsMeeting(ctx, named.id) });
  const { review, by } = found;
  const { layers, access } = await layersIn(ctx.db.orm, [found.row.id]);
  const mine = new Set(access.flatMap((one) => (keyOf(one) === by.principal ? one.layerId : [])));
  const told = toldTo(review, by, layers, mine);
  return { report: told && (await reportOf(ctx, found, layers, told)) };
}

/** Layers that a report is made of; null for people who read no report. `mine`: layers that the person reads. */
export function toldTo(
  review: Review,
  by: Actor,
  layers: readonly LayerRow[],
  mine: ReadonlySet<string>,
): LayerRow[] | null {
  const phase = phaseOf(review);
  const opened = phase === 'published' || (phase === 'open' && review.student?.principal !== by.principal);
  if (!opened || !hasPart(review, by)) return null;
  const told = toldLayers(review, layers);
  return told.every(({ id }) => mine.has(id)) ? told : null;
}

/** Layers of assessments that the person assessed reads in the end. */
function toldLayers(review: Review, layers: readonly LayerRow[]): LayerRow[] {
  const published = publishedLayers(review);
  return layers.filter(
    ({ kind, reviewerId }) =>
      (kind === 'own' || kind === 'shared') &&
      published.some((layer) => layer.kind === kind && layer.of === reviewerId),
  );
}

async function reportOf(
  ctx: Ctx,
  stored: StoredReview,
  layers: readonly LayerRow[],
  told: readonly LayerRow[],
): Promise<ReportView> {
  const { row, people, review } = stored;
  const { student } = review;
  const assessed = await assessmentsIn(ctx, stored, told);
  const own = told.find(({ reviewerId }) => student !== null && reviewerId === student.id);
  const self =
    student && own ? { reviewerId: student.id, done: true, ...(await readLayer(ctx, row.meetingId, own)) } : null;
  const discussion = layers.find(({ kind }) => kind === 'discussion') ?? null;
  const agreed = await readLayer(ctx, row.meetingId, discussion);
  const [about, tell, accounts] = await Promise.all([
    aboutOf(ctx, row.meetingId, told[0] ?? null),
    telling(ctx, stored, told, self ? [...assessed, self] : assessed),
    accountsOf(ctx.db.orm, [row.leaderId, ...people.map(({ principalId }) => principalId)]),
  ]);
  const nameOf = (principal: string) => accounts.get(principal)?.name ?? '';
  const competencies = reportedCompetencies({
    asked: askedTypes(stored),
    reviewers: assessed.map(tell.assessment),
    self: self && tell.assessment(self),
    agreed: new Map([...agreed.grades].flatMap(([type, { grade }]) => (grade === null ? [] : [[type, grade]]))),
  });
  return {
    title: redactText(about.title),
    openedAt: new Date(review.openedAt ?? 0).toISOString(),
    published: review.publishedAt !== null,
    leader: nameOf(review.leader),
    student: student && { id: student.id, name: nameOf(student.principal) },
    reviewers: assessed.map(({ reviewerId }) => {
      const one = people.find(({ id }) => id === reviewerId);
      const number = review.reviewers.findIndex(({ id }) => id === reviewerId) + 1;
      // The same for those who know the names, as the report is handed on.
      const name = review.anonymous ? numberedName(ctx.language, number) : nameOf(one?.principalId ?? '');
      return { id: reviewerId, name, comment: redactText(one?.comment ?? '') };
    }),
    src: about.src,
    competencies,
    comments: tell.comments(assessed),
    sets: await setsOfTypes(
      ctx,
      competencies.map(({ type }) => type),
    ),
  };
}

/** Title of the recording, and the address of its sound by a layer that all readers of the report read. */
async function aboutOf(ctx: Ctx, meetingId: string, layer: LayerRow | null) {
  const [found] = await ctx.db.ask(
    (sql) => sql<{ title: string; sound: string | null }[]>`
      select ${shownTitle(sql)} as title, (
        select id from media where media.meeting_id = m.id and tag in ('audio', 'video') order by created_at, id limit 1
      ) as sound
      from meetings m left join meeting_projections p on p.meeting_id = m.id left join intakes i on i.meeting_id = m.id
      where m.id = ${meetingId}`,
  );
  const sound = found?.sound ?? null;
  return {
    title: found?.title ?? '',
    src: sound === null || layer === null ? null : `/api/meetings/${layer.id}/media/${sound}`,
  };
}

interface Telling {
  assessment(one: Assessed): ToldAssessment;
  comments(all: readonly Assessed[]): ReportedComment[];
}

/** Annotations as a report tells of them: in the words there are now, and without what stands in braces. */
async function telling(
  ctx: Ctx,
  { row: { meetingId, blindFigures }, review }: StoredReview,
  told: readonly LayerRow[],
  assessed: readonly Assessed[],
): Promise<Telling> {
  const items = assessed.flatMap(({ outcomes, comments }) => [...outcomes, ...comments]);
  const said = items.map(({ anchor, start, end, quote }) => ({ anchor, start, end, quote }));
  const { answer } = await ctx.documents.answer(meetingId, askerOf(ctx), 'quotes', said);
  const quotes = new Map(items.map((item, nth) => [item, answer[nth]]));
  const voiceIn = (reviewerId: string, url: string | null): string | null => {
    const layer = told.find((one) => one.reviewerId === reviewerId) ?? layerOf(review, told, reviewerId);
    return url !== null && layer !== null && attachmentIdIn(url, layer.id) !== null ? url : null;
  };
  const place = (item: (typeof items)[number]) => {
    const { quote = '', start = item.start, end = item.end } = quotes.get(item) ?? {};
    return { id: item.id, quote, start, end, late: isAfterOpening(item, blindFigures?.at ?? null) };
  };
  return {
    assessment: ({ reviewerId, outcomes, grades }) => ({
      reviewerId,
      outcomes: outcomes.map((one) => ({
        ...place(one),
        ...{ type: one.type, grade: one.grade, children: one.children },
        ...{ text: redactText(one.text), voice: voiceIn(reviewerId, one.url) },
      })),
      grades: new Map(
        [...grades].map(([type, { grade, words }]) => [type, { grade, words: redactText(words) }] as const),
      ),
    }),
    comments: (all) =>
      withReplies(
        all.flatMap(({ reviewerId, comments }) => comments.map((comment) => ({ reviewerId, comment }))),
      ).flatMap(({ reviewerId, comment }) => {
        const text = redactText(plainOf(comment.text));
        const voice = voiceIn(reviewerId, comment.url);
        // A deleted comment stays as the empty parent of its replies.
        if (text === '' && voice === null) return [];
        return [{ ...place(comment), reviewerId, text, voice, reply: comment.parent !== null }];
      }),
  };
}

interface Said {
  reviewerId: string;
  comment: Comment;
}

/** Comments in the order of the recording, each with its replies below it. */
function withReplies(all: readonly Said[]): Said[] {
  const ids = new Set(all.map(({ comment }) => comment.id));
  const isFirst = ({ comment: { parent } }: Said) => parent === null || !ids.has(parent);
  return all
    .filter(isFirst)
    .toSorted((one, other) => inOrder(one.comment, other.comment))
    .flatMap((one) => [one, ...all.filter(({ comment }) => comment.parent === one.comment.id)]);
}
