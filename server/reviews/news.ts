import { sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import type { ReviewNews } from '#shared/page-news.ts';
import { phaseOf, type PrincipalKey, type Review } from '#shared/reviews/review.ts';
import { principalOf, type ReviewRow } from './rows.ts';
import { hasPart } from './part.ts';
import { whatIsSeen } from './seen.ts';

// News of reviews for open pages. Each person hears of a change if, and only if, the review shows them something else: a
// notice must not tell what the page leaves out.

export const reviewChannel = 'colloquy_review';

export interface ReviewNotice extends Omit<ReviewNews, 'kind'> {
  user: string;
}

/** Notifies the pages of all people to whom the review looks different now, with the commit. */
export async function notifyPages(
  tx: Orm,
  { id: review, meetingId: meeting }: Pick<ReviewRow, 'id' | 'meetingId'>,
  before: Review,
  after: Review,
): Promise<void> {
  const people = peopleWhoSee(before, after).map(principalOf);
  const idsOf = (wanted: 'user' | 'pending') =>
    people.flatMap(({ kind, principalId }) => (kind === wanted ? principalId : []));
  if (people.length === 0) return;
  const notice = { meeting, review };
  // People who were asked by an address read with the account that has confirmed it.
  await tx.execute(sql`
    select pg_notify(${reviewChannel}, (${JSON.stringify(notice)}::jsonb || jsonb_build_object('user', u.id))::text) from users u
    where u.id = any(${sql.param(idsOf('user'))}::text[])
      or (u.confirmed_at is not null and u.email_key = any(${sql.param(idsOf('pending'))}::text[]))`);
}

/** People to whom the two show something else. */
function peopleWhoSee(before: Review, after: Review): PrincipalKey[] {
  const all = [before, after].flatMap(({ leader, student, reviewers }) => [
    leader,
    ...(student ? [student.principal] : []),
    ...reviewers.map(({ principal }) => principal),
  ]);
  return [...new Set(all)].filter((person) => shownTo(before, person) !== shownTo(after, person));
}

/** Text that differs whenever an event changes something of the review that the person is shown; empty without a part in it. */
function shownTo(review: Review, person: PrincipalKey): string {
  const by = { principal: person, owns: false };
  if (review.deletedAt !== null || !hasPart(review, by)) return '';
  const { policy, anonymous, due, student, reviewers } = review;
  const me = reviewers.find(({ principal }) => principal === person);
  const isStudent = student?.principal === person;
  const leads = review.leader === person && !isStudent;
  const { names, states } = whatIsSeen(review, by, isStudent ? 'student' : (me?.role ?? null), leads);
  const row = ({ id, role, status }: Review['reviewers'][number]) => [id, role, states ? status : null];
  return JSON.stringify([
    ...[policy, anonymous, due, phaseOf(review)],
    ...[me?.role, me?.status, student && (states || isStudent) ? student.status : null],
    names ? reviewers.map(row) : [],
  ]);
}
