import { and, inArray, isNull } from 'drizzle-orm';
import { readableLayers } from '#db/access.ts';
import { layers, reviews } from '#db/schema/reviews.ts';
import { Problem } from '#shared/problems.ts';
import {
  agreementsOver,
  gradedIn,
  mostPoints,
  mostReports,
  type GrowthAnswer,
  type GrowthPoint,
  type GrowthQuery,
} from '#shared/reviews/growth.ts';
import type { ReportView } from '#shared/reviews/report.ts';
import { signedIn, type Ctx } from '../context.ts';
import { setsOfTypes } from '../outcome-models/named.ts';
import { accountsOf } from '../reviews/people.ts';
import { peopleOf, reviewOf, selfIn } from '../reviews/rows.ts';
import { toldTo, viewReport } from './report.ts';

interface Assessed {
  meetingId: string;
  reviewId: string;
  /** Time at which the recording was added. */
  date: string;
  /** Id of the person assessed in this review, and their account. */
  studentId: string;
  account: string;
}

/**
 * Grades over time of one person, from the reports that the caller reads: what decides over a report decides over its
 * point. People of whom the caller reads no report are not named.
 */
export async function viewGrowth(ctx: Ctx, { person }: GrowthQuery): Promise<GrowthAnswer> {
  const all = await assessedFor(ctx);
  const accounts = await accountsOf(ctx.db.orm, [...new Set(all.map(({ account }) => account))]);
  // People whose account is deleted, and addresses without one, have no name.
  const named = all.filter(({ account }) => accounts.has(account));
  const latest = new Map(named.toReversed().map(({ account, studentId }) => [account, studentId]));
  const asked = named.find(({ studentId }) => studentId === person)?.account;
  const self = signedIn(ctx).person.id;
  const shown = asked ?? (latest.has(self) ? self : named[0]?.account);
  const points: GrowthPoint[] = [];
  const reports: Parameters<typeof agreementsOver>[0][number][] = [];
  for (const one of named.filter(({ account }) => account === shown).slice(0, mostPoints)) {
    const report = await reportIn(ctx, one);
    const competencies = report ? gradedIn(report) : [];
    if (!report || competencies.length === 0) continue;
    const { meetingId, reviewId, date } = one;
    reports.push({ meetingId, competencies: report.competencies });
    points.unshift({ meetingId, reviewId, title: report.title, date, src: report.src, competencies });
  }
  return {
    people: [...latest]
      .map(([account, id]) => ({ id, name: accounts.get(account)?.name ?? '' }))
      .toSorted((one, other) => one.name.localeCompare(other.name)),
    person: latest.get(shown ?? '') ?? null,
    points,
    agreements: agreementsOver(reports),
    sets: await setsOfTypes(
      ctx,
      points.flatMap(({ competencies }) => competencies.map(({ type }) => type)),
    ),
  };
}

/** Reviews of somebody whose report the caller reads, by the time of the recording, the latest first. */
async function assessedFor(ctx: Ctx): Promise<Assessed[]> {
  const { person } = signedIn(ctx);
  const { orm } = ctx.db;
  const readable = await ctx.db.ask((sql) => readableLayers(sql, person.id));
  const wanted = [...new Set(readable.map(({ reviewId }) => reviewId))];
  const opened = await ctx.db.ask(
    (sql) => sql<{ id: string; date: Date }[]>`
      select r.id, m.created_at as date from reviews r join meetings m on m.id = r.meeting_id
      where r.id = any(${wanted}::text[]) and r.opened_at is not null
        and exists (select 1 from reviewers s where s.review_id = r.id and s.role = 'student')
      order by m.created_at desc, r.id limit ${mostReports}`,
  );
  const ids = opened.map(({ id }) => id);
  const [rows, people, found] = await Promise.all([
    orm.select().from(reviews).where(inArray(reviews.id, ids)),
    peopleOf(orm, ids),
    orm
      .select()
      .from(layers)
      .where(and(inArray(layers.reviewId, ids), isNull(layers.deletedAt))),
  ]);
  const mine = new Set(readable.map(({ id }) => id));
  const ofReview = <Row extends { reviewId: string }>(id: string, all: readonly Row[]) =>
    all.filter(({ reviewId }) => reviewId === id);
  return opened.flatMap(({ id: reviewId, date }): Assessed[] => {
    const row = rows.find(({ id }) => id === reviewId);
    if (!row) return [];
    const review = reviewOf(row, ofReview(reviewId, people));
    const by = { principal: selfIn(review, person), owns: false };
    const { student } = review;
    if (!student || !toldTo(review, by, ofReview(reviewId, found), mine)) return [];
    const account = student.principal === by.principal ? person.id : student.principal;
    const { meetingId } = row;
    return [{ meetingId, reviewId, date: new Date(date).toISOString(), studentId: student.id, account }];
  });
}

async function reportIn(ctx: Ctx, { meetingId: id, reviewId }: Assessed): Promise<ReportView | null> {
  try {
    return (await viewReport(ctx, { id, reviewId })).report;
  } catch (error) {
    // The part in the review has just ended.
    if (error instanceof Problem) return null;
    throw error;
  }
}
