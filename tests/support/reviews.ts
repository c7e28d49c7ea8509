import { expect } from 'vitest';
import type { ReviewView } from '#shared/reviews.ts';
import type { Policy, ReviewerRole } from '#shared/reviews/review.ts';
import type { Person } from './people.ts';

type Roles = readonly (readonly [Person, ReviewerRole])[];

/** Asks people by their addresses; they act by the accounts that have confirmed these. */
export async function askFor(
  leader: Person,
  meetingId: string,
  {
    policy = 'strict',
    roles,
    student,
    ...more
  }: { policy?: Policy; roles: Roles; student?: Person } & Record<string, unknown>,
): Promise<ReviewView> {
  const reviewers = roles.map(([{ email }, role]) => ({ principal: { email }, role }));
  const answer = await leader.post(`/api/meetings/${meetingId}/reviews`, {
    ...{ policy, reviewers },
    ...(student && { student: { email: student.email } }),
    ...more,
  });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.review;
}

export async function seenBy(
  person: Person,
  { meetingId, id }: Pick<ReviewView, 'meetingId' | 'id'>,
): Promise<ReviewView> {
  const answer = await person.get(`/api/meetings/${meetingId}/reviews/${id}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.review;
}

/** Sets a person's own status. */
export async function setStatus(
  person: Person,
  review: Pick<ReviewView, 'meetingId' | 'id'>,
  status: 'in-progress' | 'complete',
): Promise<ReviewView> {
  const { mine } = await seenBy(person, review);
  const path = `/api/meetings/${review.meetingId}/reviews/${review.id}/reviewers/${mine?.id}`;
  const answer = await person.post(path, { status });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.review;
}

/** A review of a recording in which a mentor grades a student in trust, and the student themselves; it is published. */
export async function gradeStudent(
  { leader, student, mentor }: { leader: Person; student: Person; mentor: Person },
  meetingId: string,
  grades: { student: number; mentor: number },
): Promise<ReviewView> {
  const roles: Roles = [[mentor, 'required']];
  const review = await askFor(leader, meetingId, { policy: 'student', student, roles, outcomeModel: 'coaching' });
  for (const [who, grade] of [
    [student, grades.student],
    [mentor, grades.mentor],
  ] as const) {
    const { cloneId } = await seenBy(who, review);
    const answer = await who.put(`/api/meetings/${cloneId}/grades/trust`, { grade });
    expect(answer.status, answer.text).toBe(200);
    await setStatus(who, review, 'complete');
  }
  return review;
}
