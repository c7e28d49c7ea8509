import { expect } from 'vitest';
import { reviewAnswer, reviewsAnswer, type ReviewView } from '#shared/reviews.ts';
import { gradeAnswer } from '#shared/meetings/annotation-inputs.ts';
import { rules } from '#server/limits.ts';
import { agreementAnswer, type BlindRecord } from '#shared/reviews/agreement-view.ts';
import { calibrationAnswer } from '#shared/reviews/calibration.ts';
import { listenedAnswer, listenedPartsAnswer } from '#shared/reviews/listened.ts';
import { evaluationAnswer } from '#shared/reviews/evaluation.ts';
import { reportAnswer } from '#shared/reviews/report.ts';
import type { Policy, ReviewerRole } from '#shared/reviews/review.ts';
import { roles } from '#shared/roles.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { makeSet } from '#tests/support/outcome-models.ts';
import { readPdf } from '#tests/support/pdf.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';
import { askFor, seenBy, setStatus } from '#tests/support/reviews.ts';
import { suggest } from '#tests/support/suggestions.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

const own = async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) });
const ownRecording = async ({ house, caller }: Scene) => ({ id: await makeRecording(house, caller) });
const noPart = 'No permissions for this assessment. Please add yourself to reviewers.';

interface Asked {
  review: ReviewView;
  leader: Person;
  reviewer: Person;
  /** Requests of other people that are under way. */
  others?: readonly Promise<unknown>[];
}
const asked = new WeakMap<Scene, Asked>();

/** A strict review with one reviewer, in which the caller leads, assesses, or has no part. */
const reviewed =
  (
    as: 'leader' | 'reviewer' | 'stranger',
    { complete = false, policy = 'strict' }: { complete?: boolean; policy?: Policy } = {},
  ) =>
  async (scene: Scene) => {
    const { house, caller, person } = scene;
    const leader = as === 'leader' ? caller : await person('Lea');
    const reviewer = as === 'reviewer' ? caller : await person('Rob');
    const id = await makeRecording(house, leader);
    const review = await askFor(leader, id, { policy, roles: [[reviewer, 'required']] });
    if (complete) await setStatus(reviewer, review, 'complete');
    asked.set(scene, { review, leader, reviewer });
    return { id, reviewId: review.id, reviewerId: review.reviewers[0]?.id ?? '' };
  };
/** A student review that the caller leads, with a due day; the student has not begun. */
const withSelf = (due: () => Date) => async (scene: Scene) => {
  const { house, caller, person } = scene;
  const [student, mentor] = [await person('Tia'), await person('Rob')];
  const id = await makeRecording(house, caller);
  const day = due().toISOString().slice(0, 10);
  const review = await askFor(caller, id, { policy: 'student', student, roles: [[mentor, 'required']], due: day });
  return { id, reviewId: review.id };
};
const manyAsked = (others: number, supervisors: number) =>
  Array.from({ length: others + supervisors }, (_, i) => ({
    principal: { email: `r${i}@nobody.test` },
    role: i < others ? 'optional' : 'supervisor',
  }));
/** Other roles in a strict review that the caller leads: each for the first person with the role they had. */
const otherRoles =
  (others: number, supervisors: number, wanted: Readonly<Partial<Record<ReviewerRole, ReviewerRole>>>) =>
  async (scene: Scene) => {
    const { house, caller } = scene;
    const reviewers = manyAsked(others, supervisors);
    const id = await makeMeeting(house, caller);
    const made = await caller.post(`/api/meetings/${id}/reviews`, { policy: 'strict', reviewers });
    done(made);
    const review: ReviewView = made.body.review;
    asked.set(scene, { review, leader: caller, reviewer: caller });
    const changed = Object.entries(wanted).map(([had, role]) => {
      const first = review.reviewers.find((one) => one.role === had);
      return { id: first?.id, role };
    });
    return { rev: 1, roles: changed };
  };
const thatReview = async (scene: Scene) => {
  const { meetingId, id } = of(scene).review;
  return { id: meetingId, reviewId: id };
};
const ownLayer = async (scene: Scene) => ({ notesId: (await seenBy(scene.caller, of(scene).review)).cloneId });
/** Its review is made first: bodies come before paths. */
const reviewedLayer = async (scene: Scene) => {
  await reviewed('reviewer')(scene);
  return ownLayer(scene);
};
const sheetOf = async (person: Person, review: ReviewView) => ({
  ...{ id: (await seenBy(person, review)).cloneId ?? '', type: 'listening' },
});
/** The caller's own assessment. */
const ownSheet = async (scene: Scene, more: { policy?: 'relaxed' } = {}) => {
  await reviewed('reviewer', more)(scene);
  return sheetOf(scene.caller, of(scene).review);
};
/** A strict review in which two people have graded three competencies, and differ on one; open, but for its supervisor. */
const graded = async (
  scene: Scene,
  as: 'leader' | 'reviewer' | 'supervisor' | 'student' = 'leader',
  also: (review: ReviewView, reviewer: Person, cloneId: string) => Promise<void> = () => Promise.resolve(),
) => {
  const { house, caller, person } = scene;
  const leader = as === 'leader' ? caller : await person('Lea');
  const reviewer = as === 'reviewer' ? caller : await person('Rob');
  const other = await person('Cara');
  const id = await makeRecording(house, leader);
  const supervisors = as === 'supervisor' ? [[caller, 'supervisor'] as const] : [];
  const review = await askFor(leader, id, {
    ...{ outcomeModel: 'coaching', ...(as === 'student' && { student: caller }) },
    roles: [[reviewer, 'required'], [other, 'required'], ...supervisors],
  });
  for (const [one, listening] of [
    [reviewer, 1],
    [other, 3],
  ] as const) {
    const { cloneId } = await seenBy(one, review);
    for (const [type, grade] of Object.entries({ ethics: 2, trust: 4, listening }))
      expect((await one.put(`/api/meetings/${cloneId}/grades/${type}`, { grade })).status).toBe(200);
    if (one === reviewer)
      expect(
        (await one.post(`/api/meetings/${cloneId}/outcomes`, { outcome: { type: 'listening', start: 10, end: 12 } }))
          .status,
      ).toBe(200);
    if (one === reviewer) await also(review, one, cloneId ?? '');
    if (as !== 'supervisor') await setStatus(one, review, 'complete');
  }
  asked.set(scene, { review, leader, reviewer });
  return { id, reviewId: review.id };
};
const done = ({ status, text }: Answer) => expect(status, text).toBe(200);
/** A review whose texts have braces in them, with one grade that was agreed on. */
const told = async (scene: Scene) => {
  const named = await graded(scene, 'leader', async (review, reviewer, cloneId) => {
    const { version, doc } = (await reviewer.get(`/api/meetings/${cloneId}`)).body;
    const [{ id, text }] = doc.transcript.segments;
    const edited = { pos: id, old: text, new: text.replace('heard.', 'heard {secret}.'), version };
    done(await scene.caller.post(`/api/meetings/${review.meetingId}/edit`, edited));
    done(await reviewer.put(`/api/meetings/${cloneId}/grades/listening`, { words: 'Interrupts {secret}.' }));
    const comment = { start: 10, end: 12, text: 'Good {secret} here' };
    const said = await reviewer.post(`/api/meetings/${cloneId}/comments`, comment);
    done(said);
    const reply = { start: 10, end: 12, text: 'More', parent: said.body.comment.id };
    done(await reviewer.post(`/api/meetings/${cloneId}/comments`, reply));
    const { mine } = await seenBy(reviewer, review);
    const path = `/api/meetings/${review.meetingId}/reviews/${review.id}/reviewers/${mine?.id}`;
    done(await reviewer.post(path, { comment: '{secret} Well done.' }));
  });
  const { layers } = await seenBy(of(scene).reviewer, of(scene).review);
  const discussion = layers.find(({ kind }) => kind === 'discussion')?.id;
  done(await of(scene).reviewer.put(`/api/meetings/${discussion}/grades/listening`, { grade: 2, words: 'secret' }));
  return named;
};
/** A relaxed review that the caller completes last, while the other one goes through grades. */
const stillWriting = async (scene: Scene) => {
  const named = await reviewed('reviewer', { policy: 'relaxed' })(scene);
  const { leader, review, reviewer } = of(scene);
  const other = await scene.person('Cara');
  const add = [{ principal: { email: other.email }, role: 'required' }];
  done(await leader.post(`/api/meetings/${named.id}/reviews/${named.reviewId}`, { rev: review.rev, add }));
  const sheet = `/api/meetings/${(await seenBy(other, review)).cloneId}/grades`;
  for (const type of ['ethics', 'trust']) done(await reviewer.put(`${sheet}/${type}`, { grade: 2 }));
  for (const type of ['ethics', 'trust']) done(await other.put(`${sheet}/${type}`, { grade: 1 }));
  await setStatus(other, review, 'complete');
  const others = Array.from({ length: 12 }, (_, nth) => other.put(`${sheet}/trust`, { grade: nth % 4 }));
  asked.set(scene, { leader, review, reviewer, others });
  return named;
};
const listens = { type: 'listening', start: 10, end: 12 };
/** The layer of the caller, or of the other one, in a strict review in which both have graded listening. */
const ownAndAnother = async (scene: Scene, status: 'in-progress' | 'complete', whose: 'own' | 'other' = 'own') => {
  let others = '';
  await graded(scene, 'reviewer', async (_, __, cloneId) => {
    others = cloneId;
  });
  const { review, reviewer } = of(scene);
  if (status === 'in-progress') await setStatus(reviewer, review, 'in-progress');
  const { cloneId } = await seenBy(reviewer, review);
  const [layer] = await scene.house.database.sql<{ id: string }[]>`
    select id from layers where review_id = ${review.id} and kind = 'own' and id <> ${others}`;
  return { id: (whose === 'own' ? cloneId : layer?.id) ?? '' };
};
const evaluated = (body: unknown, wanted: string) =>
  evaluationAnswer.parse(body).outcomes.filter(({ type }) => type === wanted);
const machineCount = (body: unknown) =>
  evaluationAnswer.parse(body).outcomes.reduce((sum, { machine }) => sum + machine.count, 0);
/** The caller's layer in a strict review that asks for 60 % of a recording of 100 seconds; asked for a minute ago. */
const toHear = async (scene: Scene, coverage: number | null = 60) => {
  const { house, caller, person } = scene;
  const leader = await person('Lea');
  const id = await makeRecording(house, leader);
  const { sql } = house.database;
  await sql`update media set duration_ms = 100000 where meeting_id = ${id}`;
  const review = await askFor(leader, id, { roles: [[caller, 'required']], coverage });
  await sql`update reviews set created_at = created_at - interval '1 minute' where id = ${review.id}`;
  asked.set(scene, { leader, review, reviewer: caller });
  return { id: (await seenBy(caller, review)).cloneId ?? '' };
};
/** Shows what a person listened to in a review. */
const showing = async (person: Person, { meetingId, id }: ReviewView, shared = true) =>
  person.put(`/api/meetings/${meetingId}/reviews/${id}/listened`, { shared });
/** A review that has another one as its key, in which the caller has completed or not. */
const keyed = async (scene: Scene, status: 'in-progress' | 'complete') => {
  const leader = await scene.person('Lee');
  const named = await graded({ ...scene, caller: leader });
  const review = await askFor(leader, named.id, { roles: [[scene.caller, 'required']], keyOf: named.reviewId });
  const { cloneId } = await seenBy(scene.caller, review);
  done(await scene.caller.put(`/api/meetings/${cloneId}/grades/trust`, { grade: 2 }));
  done(await scene.caller.post(`/api/meetings/${cloneId}/outcomes`, { outcome: { type: 'trust', start: 3, end: 5 } }));
  if (status === 'complete') await setStatus(scene.caller, review, 'complete');
  return { id: named.id, reviewId: review.id };
};
const reviewerPath = ({ meetingId, id, reviewers }: ReviewView) =>
  `/api/meetings/${meetingId}/reviews/${id}/reviewers/${reviewers[0]?.id}`;
const blindFiguresOf = async (scene: Scene) => {
  const [row] = await scene.house.database.sql<{ figures: BlindRecord | null }[]>`
    select blind_figures as figures from reviews where id = ${of(scene).review.id}`;
  return row?.figures ?? null;
};
const assessed = async (scene: Scene, publishes: boolean) => {
  const named = await graded(scene, 'student');
  const { leader } = of(scene);
  if (publishes) done(await leader.post(`/api/meetings/${named.id}/reviews/${named.reviewId}/publish`));
  return named;
};
const of = (scene: Scene): Asked => {
  const found = asked.get(scene);
  if (!found) throw new Error('no review');
  return found;
};
const isWhole = ({ body }: Answer) => expect(reviewAnswer.parse(body)).toEqual(body);

/** Callers without a part get one answer, whatever there is. */
const hidden = (body?: unknown): Row[] => {
  const more = { as: 'session', status: 403, code: 'NO_PERM', ...(body === undefined ? {} : { body }) } as const;
  const then = ({ problem }: Answer) => expect(problem.message).toBe(noPart);
  return [
    { when: 'no part in it', ...more, params: reviewed('stranger'), then },
    { when: 'no such review: the same', ...more, params: own, then: () => {} },
    { when: 'no such recording: the same', ...more, then },
  ];
};
const sameRequest: Row = {
  when: 'under the id of another request',
  as: 'session',
  params: reviewed('leader', { complete: true }),
  send: async (scene: Scene) => {
    const headers = { 'X-Request-ID': 'the-same-request' };
    const path = `/api/meetings/${of(scene).review.meetingId}/rename`;
    expect((await scene.caller.post(path, { title: 'a' }, { headers })).status).toBe(200);
    return { headers };
  },
  status: 422,
  code: 'IDEMP',
};
const request = async ({ person }: Scene) => ({
  policy: 'strict',
  reviewers: [{ principal: { email: (await person('Rob')).email }, role: 'required' }],
});

export default {
  'GET /api/meetings/:id/reviews': [
    {
      when: 'one’s own recording: all of its reviews',
      as: 'session',
      params: reviewed('leader'),
      status: 200,
      then: ({ body }: Answer, scene: Scene) => {
        expect(reviewsAnswer.parse(body)).toEqual(body);
        expect(body.reviews).toMatchObject([{ id: of(scene).review.id, status: 'in-progress', phase: 'closed' }]);
      },
    },
    {
      when: 'a recording one has by a review alone: that review',
      as: 'session',
      params: reviewed('reviewer'),
      status: 200,
      then: ({ body }: Answer, scene: Scene) => expect(body.reviews).toMatchObject([{ id: of(scene).review.id }]),
    },
    {
      when: 'a recording one may read, with reviews of others: none',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await reviewed('stranger')(scene);
        await share(scene.house, id, scene.caller, roles.canEdit);
        return { id };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ reviews: [] }),
    },
    {
      when: 'a recording of another person',
      as: 'session',
      params: reviewed('stranger'),
      status: 403,
      code: 'NO_ACCESS',
    },
    { ...unknownParameter, params: reviewed('leader') },
  ],
  'POST /api/meetings/:id/reviews': [
    {
      when: 'one’s own: the caller leads it, and reviewers get a mail',
      as: 'session',
      params: own,
      body: request,
      status: 200,
      then: async (answer: Answer, { caller, house }: Scene) => {
        isWhole(answer);
        const { review } = answer.body;
        expect(review).toMatchObject({ policy: 'strict', phase: 'closed', leader: { id: caller.id }, mine: null });
        expect(review.reviewers).toMatchObject([{ role: 'required', status: 'new', isMe: false }]);
        const [mail] = await house.mails(review.reviewers[0].email);
        expect(mail?.text).toContain(`/meeting/${review.meetingId}/peer/${review.id}`);
      },
    },
    {
      when: 'with the transcript closed, and people who oversee shown as present',
      as: 'session',
      params: ownRecording,
      body: async (scene: Scene) => ({
        ...(await request(scene)),
        ...{ observers: true, closeText: { name: ' For the review ' } },
      }),
      status: 200,
      then: async (answer: Answer, { caller, house }: Scene) => {
        isWhole(answer);
        const { meetingId, observers } = answer.body.review;
        expect(observers).toBe(true);
        const { closed } = (await caller.get(`/api/meetings/${meetingId}/about`)).body;
        expect(closed).toMatchObject({ by: { id: caller.id } });
        const names = await house.database.sql`
          select version::int, name from version_names where meeting_id = ${meetingId}`;
        expect([...names]).toEqual([{ version: closed.version, name: 'For the review' }]);
        const edit = await caller.post(`/api/meetings/${meetingId}/rename`, { title: 'a' });
        expect(edit.problem.code).toBe('CLOSED');
        // A second one with a transcript that is closed changes nothing of that.
        const reviewers = [{ principal: { email: 'r@nobody.test' }, role: 'optional' }];
        const again = { policy: 'relaxed', reviewers, closeText: { name: 'Again' } };
        done(await caller.post(`/api/meetings/${meetingId}/reviews`, again));
        expect((await caller.get(`/api/meetings/${meetingId}/about`)).body.closed).toEqual(closed);
      },
    },
    {
      when: 'with names of reviewers hidden, which stays so',
      as: 'session',
      params: ownRecording,
      body: async (scene: Scene) => ({ ...(await request(scene)), anonymous: true, observers: true }),
      status: 200,
      then: async (answer: Answer, { caller }: Scene) => {
        isWhole(answer);
        const { id, meetingId, anonymous, observers, rev, reviewers } = answer.body.review;
        expect({ anonymous, observers }).toEqual({ anonymous: true, observers: false });
        expect(reviewers[0].name).toMatch(/Reviewer 1/);
        const path = `/api/meetings/${meetingId}/reviews`;
        const shown = await caller.post(`${path}/${id}`, { rev, anonymous: false });
        expect(shown.problem.code).toBe('CONFLICT');
        // People who assess beside a reference are refused by name.
        const keyed = { policy: 'strict', reviewers: [{ principal: { email: 'r@nobody.test' }, role: 'required' }] };
        const refused = await caller.post(path, { ...keyed, anonymous: true, keyOf: id });
        expect(refused.body).toMatchObject({ info: { errors: [{ field: 'anonymous', code: 'key' }] } });
      },
    },
    {
      when: 'refused: the transcript stays open, too',
      as: 'session',
      params: ownRecording,
      body: { policy: 'strict', reviewers: manyAsked(11, 0), closeText: { name: 'a' } },
      status: 422,
      code: 'INVALID',
      fields: { reviewers: 'too_many' },
      then: async (_: Answer, { caller }: Scene) => {
        const [{ id }] = (await caller.get('/api/meetings')).body.hits;
        expect((await caller.get(`/api/meetings/${id}/about`)).body.closed).toBeNull();
      },
    },
    {
      when: 'with a closed transcript, while that is still made',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await ownRecording(scene);
        await scene.house.database.sql`
          insert into intakes (meeting_id, owner_id, request_id, request_digest, state, title, model, lang, speakers, vocabulary, created_at)
          values (${id}, ${scene.caller.id}, 'r', ''::bytea, 'processing', '', 'external', 'en-US', 2, '', now())
          on conflict (meeting_id) do update set state = 'processing'`;
        return { id };
      },
      body: async (scene: Scene) => ({ ...(await request(scene)), closeText: { name: 'a' } }),
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'with a closed transcript that has no name',
      as: 'session',
      params: own,
      body: async (scene: Scene) => ({ ...(await request(scene)), closeText: {} }),
      status: 422,
      code: 'INVALID',
      fields: { 'closeText.name': 'required' },
    },
    {
      when: 'by a person who may only write',
      as: 'session',
      params: async ({ house, caller, person }: Scene) => {
        const id = await makeMeeting(house, await person());
        await share(house, id, caller, roles.canEdit);
        return { id };
      },
      body: request,
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'a recording of another person',
      as: 'session',
      params: async ({ house, person }: Scene) => ({ id: await makeMeeting(house, await person()) }),
      body: request,
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a person who is no acquaintance, by id',
      as: 'session',
      params: own,
      body: async ({ person }: Scene) => ({
        ...{ policy: 'strict', reviewers: [{ principal: { id: (await person('Rob')).id }, role: 'required' }] },
      }),
      status: 422,
      code: 'INVALID',
      fields: { 'reviewers.0.principal': 'unknown' },
    },
    {
      when: 'the same person twice',
      as: 'session',
      params: own,
      body: async (scene: Scene) => {
        const { reviewers, ...more } = await request(scene);
        return { ...more, reviewers: [...reviewers, ...reviewers] };
      },
      status: 422,
      code: 'INVALID',
      fields: { reviewers: 'exists' },
    },
    {
      when: 'a student review without a student',
      as: 'session',
      params: own,
      body: async (scene: Scene) => ({ ...(await request(scene)), policy: 'student' }),
      status: 422,
      code: 'INVALID',
      fields: { student: 'required' },
    },
    {
      when: 'one with suggestions of a model, where there is one',
      as: 'session',
      params: own,
      body: async (scene: Scene) => ({ ...(await request(scene)), policy: 'ai' }),
      status: 200,
      then: ({ body }: Answer) =>
        expect(reviewAnswer.parse(body).review).toMatchObject({ policy: 'ai', phase: 'closed' }),
    },
    {
      when: 'more reviewers than a strict review has',
      as: 'session',
      params: own,
      body: { policy: 'strict', reviewers: manyAsked(11, 0) },
      status: 422,
      code: 'INVALID',
      fields: { reviewers: 'too_many' },
    },
    {
      when: 'as many as it has, and supervisors beside them',
      as: 'session',
      params: own,
      body: { policy: 'strict', reviewers: manyAsked(10, 3) },
      status: 200,
    },
    {
      when: 'a fourth supervisor',
      as: 'session',
      params: own,
      body: { policy: 'strict', reviewers: manyAsked(1, 4) },
      status: 422,
      code: 'INVALID',
      fields: { reviewers: 'too_many' },
    },
    {
      when: 'more reviewers than a relaxed review has',
      as: 'session',
      params: own,
      body: { policy: 'relaxed', reviewers: manyAsked(31, 0) },
      status: 422,
      code: 'INVALID',
      fields: { reviewers: 'too_many' },
    },
    {
      when: 'as many as a relaxed one has',
      as: 'session',
      params: own,
      body: { policy: 'relaxed', reviewers: manyAsked(30, 0) },
      status: 200,
    },
    {
      when: 'more mentors than a student has',
      as: 'session',
      params: own,
      body: { policy: 'student', student: { email: 't@nobody.test' }, reviewers: manyAsked(6, 0) },
      status: 422,
      code: 'INVALID',
      fields: { reviewers: 'too_many' },
    },
    {
      when: 'as many as a student has',
      as: 'session',
      params: own,
      body: { policy: 'student', student: { email: 't@nobody.test' }, reviewers: manyAsked(5, 0) },
      status: 200,
    },
  ],
  'GET /api/meetings/:id/reviews/:reviewId': [
    {
      when: 'by a reviewer of a strict review: nothing of others',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await reviewed('reviewer')(scene);
        const { leader, review } = of(scene);
        const others = ['optional', 'watcher'].map((role) => ({ principal: { email: `${role}@nobody.test` }, role }));
        const path = `/api/meetings/${named.id}/reviews/${review.id}`;
        expect((await leader.post(path, { rev: review.rev, add: others })).status).toBe(200);
        return named;
      },
      status: 200,
      then: (answer: Answer, { caller }: Scene) => {
        isWhole(answer);
        const { review } = answer.body;
        expect(review.reviewers).toMatchObject([{ isMe: true, email: caller.email, status: 'new' }]);
        expect(review).toMatchObject({ rev: null, mine: { role: 'required' }, can: ['annotate', 'complete'] });
        expect(review.cloneId).toBe(review.reviewers[0].cloneId);
      },
    },
    {
      when: 'by its leader: who it is, and how far they are, but no layer',
      as: 'session',
      params: reviewed('leader'),
      status: 200,
      then: ({ body }: Answer) => {
        expect(body.review.reviewers).toMatchObject([{ status: 'new', cloneId: null, isMe: false }]);
        expect(body.review.can).toEqual(['change', 'add', 'delete']);
      },
    },
    {
      when: 'by who owns the recording and has no part: who assesses, but not how far it is',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await reviewed('stranger', { complete: true })(scene);
        await share(scene.house, named.id, scene.caller, roles.canEditShare);
        return named;
      },
      status: 200,
      then: ({ body }: Answer) => {
        expect(body.review).toMatchObject({ phase: 'closed', status: 'in-progress', completionDate: null, mine: null });
        expect(body.review).toMatchObject({ reviewers: [{ status: null, email: null }], can: ['add', 'delete'] });
      },
    },
    ...hidden(),
  ],
  'POST /api/meetings/:id/reviews/:reviewId': [
    {
      when: 'by its leader',
      as: 'session',
      params: reviewed('leader'),
      body: {
        rev: 1,
        due: '2030-01-31',
        outcomeModel: 'coaching',
        add: [{ principal: { email: 'w@nobody.test' }, role: 'watcher' }],
      },
      status: 200,
      then: (answer: Answer) => {
        isWhole(answer);
        expect(answer.body.review).toMatchObject({ rev: 2, due: '2030-01-31', outcomeModel: 'coaching' });
        expect(answer.body.review.reviewers).toMatchObject([{ role: 'required' }, { role: 'watcher' }]);
      },
    },
    {
      when: 'how much people listen to alone: what others have read is out of date, too',
      as: 'session',
      params: reviewed('leader'),
      body: { rev: 1, coverage: 40 },
      status: 200,
      then: (answer: Answer) => expect(answer.body.review).toMatchObject({ rev: 2, coverage: 40 }),
    },
    {
      when: 'a percentage that is none',
      as: 'session',
      params: reviewed('leader'),
      body: { rev: 1, coverage: 0 },
      status: 422,
      code: 'INVALID',
    },
    {
      when: 'its end: it opens',
      as: 'session',
      params: reviewed('leader'),
      body: { rev: 1, end: true },
      status: 200,
      then: ({ body }: Answer) => expect(body.review).toMatchObject({ phase: 'open', status: 'complete' }),
    },
    {
      when: 'without the self-assessment, once its day is over: mentors begin',
      as: 'session',
      params: withSelf(() => new Date(Date.now() - 86_400_000)),
      body: { rev: 1, skipSelf: true },
      status: 200,
      then: ({ body }: Answer) => expect(body.review).toMatchObject({ rev: 2, phase: 'closed' }),
    },
    {
      when: 'without the self-assessment, on the day until which it is asked for',
      as: 'session',
      // Within the last hour of a day it is the next one, so that no day ends in between.
      params: withSelf(() => new Date(Date.now() + 3_600_000)),
      body: { rev: 1, skipSelf: true },
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'a role that is frozen, as somebody has begun',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await reviewed('leader')(scene);
        await setStatus(of(scene).reviewer, of(scene).review, 'in-progress');
        return named;
      },
      body: { rev: 1, policy: 'relaxed' },
      status: 409,
      code: 'CONFLICT',
    },
    { when: 'another rev', as: 'session', params: reviewed('leader'), body: { rev: 7 }, status: 409, code: 'CONFLICT' },
    {
      when: 'a person who is there',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await reviewed('leader')(scene);
        const change = { rev: 1, add: [{ principal: { email: 'w@nobody.test' }, role: 'watcher' }] };
        expect((await scene.caller.post(`/api/meetings/${named.id}/reviews/${named.reviewId}`, change)).status).toBe(
          200,
        );
        return named;
      },
      body: { rev: 2, add: [{ principal: { email: 'W@nobody.test' }, role: 'watcher' }] },
      status: 422,
      code: 'INVALID',
      fields: { reviewers: 'exists' },
    },
    {
      when: 'the role of a fourth supervisor',
      as: 'session',
      params: thatReview,
      body: otherRoles(2, 3, { optional: 'supervisor' }),
      status: 422,
      code: 'INVALID',
      fields: { reviewers: 'too_many' },
    },
    {
      when: 'the role of an eleventh reviewer',
      as: 'session',
      params: thatReview,
      body: otherRoles(10, 1, { supervisor: 'optional' }),
      status: 422,
      code: 'INVALID',
      fields: { reviewers: 'too_many' },
    },
    {
      when: 'roles exchanged where no more may come',
      as: 'session',
      params: thatReview,
      body: otherRoles(10, 3, { optional: 'supervisor', supervisor: 'required' }),
      status: 200,
    },
    {
      when: 'by a reviewer',
      as: 'session',
      params: reviewed('reviewer'),
      body: { rev: 1, end: true },
      status: 403,
      code: 'NO_PERM',
    },
    ...hidden({ rev: 1 }),
  ],
  'DELETE /api/meetings/:id/reviews/:reviewId': [
    {
      when: 'by its leader: it is gone for everybody',
      as: 'session',
      params: reviewed('leader'),
      status: 204,
      then: async (_, scene: Scene) => {
        const { review, reviewer } = of(scene);
        const path = `/api/meetings/${review.meetingId}/reviews/${review.id}`;
        for (const person of [scene.caller, reviewer]) expect((await person.get(path)).problem.message).toBe(noPart);
      },
    },
    { when: 'by a reviewer', as: 'session', params: reviewed('reviewer'), status: 403, code: 'NO_PERM' },
    ...hidden(),
    sameRequest,
  ],
  'POST /api/meetings/:id/reviews/:reviewId/reviewers/:reviewerId': [
    {
      when: 'one’s own: completing opens it',
      as: 'session',
      params: reviewed('reviewer'),
      body: { status: 'complete', comment: 'Well done' },
      status: 200,
      then: async (answer: Answer, scene: Scene) => {
        isWhole(answer);
        expect(answer.body.review).toMatchObject({ phase: 'open', mine: { status: 'complete', comment: 'Well done' } });
        const { leader, review } = of(scene);
        expect((await seenBy(leader, review)).reviewers).toMatchObject([{ status: 'complete', comment: 'Well done' }]);
      },
    },
    {
      when: 'taken back: it closes again',
      as: 'session',
      params: reviewed('reviewer', { complete: true }),
      body: { status: 'in-progress' },
      status: 200,
      then: ({ body }: Answer) =>
        expect(body.review).toMatchObject({ phase: 'closed', mine: { status: 'in-progress' } }),
    },
    {
      when: 'taken back after it was published',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await reviewed('reviewer', { complete: true })(scene);
        const { leader } = of(scene);
        expect((await leader.post(`/api/meetings/${named.id}/reviews/${named.reviewId}/publish`)).status).toBe(200);
        return named;
      },
      body: { status: 'in-progress' },
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'the last one, while others annotate: the figures that are kept are those of what all read then',
      as: 'session',
      params: (scene: Scene) => stillWriting(scene),
      body: { status: 'complete' },
      status: 200,
      then: async ({ body }: Answer, scene: Scene) => {
        expect(body.review).toMatchObject({ phase: 'open' });
        const { review, others = [] } = of(scene);
        const kept = await blindFiguresOf(scene);
        await Promise.all(others);
        const path = `/api/meetings/${review.meetingId}/reviews/${review.id}/agreement`;
        const { agreement } = (await scene.caller.get(path)).body;
        expect(kept).toEqual(agreement.blind);
        expect(kept?.people).toHaveLength(2);
        expect(kept).toMatchObject({ grades: agreement.grades, words: agreement.words });
      },
    },
    {
      when: 'that of another, by the leader',
      as: 'session',
      params: reviewed('leader'),
      body: { status: 'complete' },
      status: 403,
      code: 'NO_PERM',
    },
    ...hidden({ status: 'complete' }),
  ],
  'POST /api/meetings/:id/invite/complete': [
    {
      when: 'by the layer of one’s own assessment, and again',
      as: 'session',
      body: reviewedLayer,
      params: thatReview,
      status: 200,
      then: async (answer: Answer, scene: Scene) => {
        isWhole(answer);
        const body = await ownLayer(scene);
        expect(answer.body.review.mine.status).toBe('complete');
        const again = await scene.caller.post(`/api/meetings/${of(scene).review.meetingId}/invite/complete`, body);
        expect([again.status, again.body]).toEqual([200, answer.body]);
      },
    },
    {
      when: 'by the layer of another person',
      as: 'session',
      body: async (scene: Scene) => {
        await reviewed('leader')(scene);
        return { notesId: (await seenBy(of(scene).reviewer, of(scene).review)).cloneId };
      },
      params: thatReview,
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe(noPart),
    },
    {
      when: 'by no layer',
      as: 'session',
      params: reviewed('reviewer'),
      body: { notesId: 'nothing' },
      status: 403,
      code: 'NO_PERM',
      then: ({ problem }: Answer) => expect(problem.message).toBe(noPart),
    },
    {
      when: 'without a layer',
      as: 'session',
      params: reviewed('reviewer'),
      body: {},
      status: 422,
      code: 'INVALID',
      fields: { notesId: 'required' },
    },
    {
      when: 'after it was published',
      as: 'session',
      body: async (scene: Scene) => {
        const named = await reviewed('reviewer')(scene);
        const layer = await ownLayer(scene);
        const { leader } = of(scene);
        const path = `/api/meetings/${named.id}/reviews/${named.reviewId}`;
        done(await leader.post(path, { rev: of(scene).review.rev, end: true }));
        done(await leader.post(`${path}/publish`));
        return layer;
      },
      params: thatReview,
      status: 409,
      code: 'CONFLICT',
    },
    { ...sameRequest, body: { notesId: 'nothing' } },
  ],
  'POST /api/meetings/:id/reviews/:reviewId/join': [
    {
      when: 'by who owns the recording',
      as: 'session',
      params: reviewed('leader'),
      body: { role: 'required' },
      status: 200,
      then: async ({ body }: Answer, scene: Scene) => {
        expect(body).toEqual({ joined: true });
        expect(await seenBy(scene.caller, of(scene).review)).toMatchObject({ mine: { role: 'required' } });
      },
    },
    {
      when: 'by others: the leader gets a mail',
      as: 'session',
      params: reviewed('stranger'),
      body: {},
      status: 200,
      then: async ({ body }: Answer, scene: Scene) => {
        expect(body).toEqual({ joined: false });
        const [mail] = await scene.house.mails(of(scene).leader.email);
        expect(mail?.subject).toBe('Ann Test wants to be added to the reviewers');
      },
    },
    {
      when: 'no such review: the same',
      as: 'session',
      body: {},
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ joined: false }),
    },
    {
      when: 'no such review of one’s own recording',
      as: 'session',
      params: own,
      body: {},
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'by who could read assessments of others',
      as: 'session',
      params: reviewed('leader', { complete: true }),
      body: { role: 'required' },
      status: 422,
      code: 'INVALID',
      fields: { reviewers: 'could_read' },
    },
    {
      when: 'to assess, after it was published',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await reviewed('leader', { complete: true })(scene);
        await scene.caller.post(`/api/meetings/${named.id}/reviews/${named.reviewId}/publish`);
        return named;
      },
      body: {},
      status: 409,
      code: 'CONFLICT',
    },
  ],
  'POST /api/meetings/:id/reviews/:reviewId/publish': [
    {
      when: 'an open one',
      as: 'session',
      params: reviewed('leader', { complete: true }),
      status: 200,
      then: ({ body }: Answer) =>
        expect(body.review).toMatchObject({ phase: 'published', can: ['change', 'add', 'delete'] }),
    },
    { when: 'one that is not open', as: 'session', params: reviewed('leader'), status: 409, code: 'CONFLICT' },
    { when: 'by a reviewer', as: 'session', params: reviewed('reviewer'), status: 403, code: 'NO_PERM' },
    ...hidden(),
    sameRequest,
  ],
  'POST /api/meetings/:id/reviews/:reviewId/reopen': [
    {
      when: 'an open one: reviewers go on',
      as: 'session',
      params: reviewed('leader', { complete: true }),
      status: 200,
      then: ({ body }: Answer) => {
        expect(body.review).toMatchObject({ phase: 'closed' });
        expect(body.review.reviewers).toMatchObject([{ status: 'in-progress' }]);
      },
    },
    { when: 'one that is not open', as: 'session', params: reviewed('leader'), status: 409, code: 'CONFLICT' },
    { when: 'by a reviewer', as: 'session', params: reviewed('reviewer'), status: 403, code: 'NO_PERM' },
    ...hidden(),
    sameRequest,
  ],
  'GET /api/meetings/:id/eval': [
    { ...unknownParameter, params: own },
    {
      when: 'the recording’s own outcomes, and suggestions that wait, beside them',
      as: 'session',
      params: async ({ house, caller }: Scene) => {
        const id = await makeRecording(house, caller);
        await suggest(house, id);
        done(await caller.post(`/api/meetings/${id}/outcomes`, { outcome: { ...listens, grade: 3 } }));
        return { id };
      },
      status: 200,
      then: ({ body }: Answer) => {
        expect(evaluationAnswer.parse(body)).toEqual(body);
        const [listening] = evaluated(body, 'listening');
        expect(listening?.people).toEqual({ count: 1, grades: { '3': 1 }, median: 3 });
        expect(machineCount(body)).toBe(1);
      },
    },
    {
      when: 'by who only reads: no suggestions',
      as: 'session',
      params: async ({ house, caller, person }: Scene) => {
        const owner = await person();
        const id = await makeRecording(house, owner);
        await suggest(house, id);
        await share(house, id, caller, ['read']);
        return { id };
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ outcomes: [], sets: [] }),
    },
    {
      when: 'by the own layer, before the review opens: the own assessment alone',
      as: 'session',
      params: (scene: Scene) => ownAndAnother(scene, 'in-progress'),
      status: 200,
      then: ({ body }: Answer) =>
        expect(evaluated(body, 'listening')[0]?.people).toEqual({ count: 1, grades: { '1': 1 }, median: 1 }),
    },
    {
      when: 'by the own layer, once it is open: all assessments, with the grades of their sheets',
      as: 'session',
      params: (scene: Scene) => ownAndAnother(scene, 'complete'),
      status: 200,
      then: ({ body }: Answer) =>
        expect(evaluated(body, 'listening')[0]?.people).toEqual({ count: 1, grades: { '1': 1, '3': 1 }, median: 1 }),
    },
    {
      when: 'by the assessment of another, before the review opens',
      as: 'session',
      params: (scene: Scene) => ownAndAnother(scene, 'in-progress', 'other'),
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'no such meeting', as: 'session', status: 403, code: 'NO_ACCESS' },
  ],
  'GET /api/meetings/:id/reviews/:reviewId/agreement': [
    {
      when: 'once it is open: figures, what people disagree about, and the record of the opening',
      as: 'session',
      params: (scene: Scene) => graded(scene),
      status: 200,
      then: ({ body }: Answer) => {
        expect(agreementAnswer.parse(body)).toEqual(body);
        const { agreement } = body;
        expect(agreement.grades).toMatchObject({ units: 3, caution: 'few' });
        expect(agreement.grades.percent).toBeCloseTo(2 / 3);
        expect(agreement.blind).toMatchObject({ grades: agreement.grades, words: agreement.words });
        expect(agreement.blind.interval).toHaveLength(2);
        const [most] = agreement.competencies.toSorted(
          (a: { share: number }, b: { share: number }) => b.share - a.share,
        );
        expect(most).toMatchObject({ type: 'listening', share: 1, spread: { lowest: 1, highest: 3, difference: 2 } });
        expect(most.passages).toMatchObject([{ by: [expect.any(String)] }]);
        expect(most.passages[0].quote).not.toBe('');
        expect(most.passages[0].end).toBeGreaterThan(most.passages[0].start);
      },
    },
    {
      when: 'once words were deleted that somebody marked: what was kept at the opening stays',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await graded(scene);
        expect(await blindFiguresOf(scene)).toMatchObject({ words: { common: 0 } });
        const { version, doc } = (await scene.caller.get(`/api/meetings/${named.id}`)).body;
        const [{ id, text }] = doc.transcript.segments;
        done(await scene.caller.post(`/api/meetings/${named.id}/edit`, { pos: id, old: text, new: 'So.', version }));
        return named;
      },
      status: 200,
      then: async ({ body: { agreement } }: Answer, scene: Scene) => {
        const kept = await blindFiguresOf(scene);
        expect(agreement.blind).toEqual(kept);
      },
    },
    {
      when: 'taken back since: absent for reviewers',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await graded(scene, 'reviewer');
        await setStatus(scene.caller, of(scene).review, 'in-progress');
        return named;
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ agreement: null }),
    },
    {
      when: 'by a reviewer of a strict review that is not open: absent',
      as: 'session',
      params: reviewed('reviewer'),
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ agreement: null }),
    },
    {
      when: 'by its leader before it is open: absent',
      as: 'session',
      params: reviewed('leader'),
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ agreement: null }),
    },
    {
      when: 'by who supervises: while others grade',
      as: 'session',
      params: (scene: Scene) => graded(scene, 'supervisor'),
      status: 200,
      then: ({ body }: Answer) => {
        expect(body.agreement.people).toMatchObject([{ done: false }, { done: false }]);
        expect(body.agreement).toMatchObject({ blind: null, grades: { units: 3 } });
      },
    },
    ...hidden(),
  ],
  'GET /api/meetings/:id/reviews/:reviewId/calibration': [
    {
      when: 'one’s own is complete: what differs from the key, and what of it was found',
      as: 'session',
      params: (scene: Scene) => keyed(scene, 'complete'),
      status: 200,
      then: ({ body }: Answer) => {
        expect(calibrationAnswer.parse(body)).toEqual(body);
        const [mine] = body.calibration.people;
        expect(mine).toMatchObject({ units: 1, exact: 0, adjacent: 0, difference: -2, found: 0, missed: 1 });
        const rowOf = (wanted: string) => mine.competencies.find(({ type }: { type: string }) => type === wanted);
        expect(rowOf('trust')).toMatchObject({ key: 4, grade: 2, steps: -2, passages: [], others: 1 });
        expect(rowOf('listening')).toMatchObject({ key: 1, grade: null, steps: null, passages: [{ found: false }] });
        expect(rowOf('listening').passages[0].quote).not.toBe('');
      },
    },
    {
      when: 'one’s own is not complete: nothing of the key',
      as: 'session',
      params: (scene: Scene) => keyed(scene, 'in-progress'),
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ calibration: null }),
    },
    {
      when: 'of a review without a key',
      as: 'session',
      params: (scene: Scene) => graded(scene),
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ calibration: null }),
    },
    ...hidden(),
  ],
  'GET /api/meetings/:id/reviews/:reviewId/report': [
    {
      when: 'once it is open: grades, the agreed one, passages and comments without what stands in braces',
      as: 'session',
      params: (scene: Scene) => told(scene),
      status: 200,
      then: ({ body }: Answer, scene: Scene) => {
        expect(reportAnswer.parse(body)).toEqual(body);
        expect(JSON.stringify(body)).not.toContain('secret');
        const { report } = body;
        // Both were asked at the same moment, so they come in any order.
        expect(report.reviewers).toHaveLength(2);
        const named = (wanted: string) => report.reviewers.find(({ name }: { name: string }) => name === wanted);
        const [rob, cara] = [named('Rob Test'), named('Cara Test')];
        expect(report).toMatchObject({ published: false, leader: 'Ann Test', student: null });
        expect(rob).toMatchObject({ comment: '[redacted] Well done.' });
        const rowOf = (wanted: string) => report.competencies.find(({ type }: { type: string }) => type === wanted);
        expect(rowOf('listening')).toMatchObject({
          ...{ agreed: 2, median: 1, spread: { lowest: 1, highest: 3 }, self: null },
          grades: expect.arrayContaining([
            { reviewerId: rob.id, grade: 1, words: 'Interrupts [redacted].' },
            { reviewerId: cara.id, grade: 3, words: '' },
          ]),
        });
        expect(rowOf('trust')).toMatchObject({ agreed: null, median: 4, spread: { lowest: 4, highest: 4 } });
        expect(rowOf('growth')).toMatchObject({ agreed: null, median: null, spread: null, passages: [] });
        // Types without grades are there once somebody used them.
        expect(rowOf('notes')).toBeUndefined();
        const [passage] = rowOf('listening').passages;
        expect(passage).toMatchObject({ reviewerId: rob.id, text: '', voice: null, children: [] });
        expect(passage.quote).toBe('heard [redacted].');
        expect(passage.end).toBeGreaterThan(passage.start);
        expect(report.comments).toMatchObject([
          { reviewerId: rob.id, text: 'Good [redacted] here', reply: false },
          { reviewerId: rob.id, text: 'More', reply: true },
        ]);
        expect(report.src).toMatch(/^\/api\/meetings\/\w+\/media\/\w+$/);
        expect(report.src).not.toContain(of(scene).review.meetingId);
      },
    },
    {
      when: 'with a passage that was added after the opening: it says so where the time of that is known',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await graded(scene);
        const { review, reviewer } = of(scene);
        await setStatus(reviewer, review, 'in-progress');
        // A review that is closed again does not tell that it was open.
        expect((await seenBy(scene.caller, review)).firstOpenedAt).toBeNull();
        const { cloneId } = await seenBy(reviewer, review);
        const outcome = { type: 'listening', start: 20, end: 22 };
        done(await reviewer.post(`/api/meetings/${cloneId}/outcomes`, { outcome }));
        await setStatus(reviewer, review, 'complete');
        return named;
      },
      status: 200,
      then: async ({ body }: Answer, scene: Scene) => {
        const { caller, house } = scene;
        const { meetingId, id } = of(scene).review;
        const latenessIn = (answer: unknown) =>
          reportAnswer
            .parse(answer)
            .report?.competencies.find(({ type }) => type === 'listening')
            ?.passages.map(({ late }) => late);
        expect(latenessIn(body)).toEqual([false, true]);
        expect((await seenBy(caller, of(scene).review)).firstOpenedAt).toBe((await blindFiguresOf(scene))?.at);
        // Nothing is known of reviews that opened before it was recorded.
        await house.database.sql`update reviews set blind_figures = null where id = ${id}`;
        const again = await caller.get(`/api/meetings/${meetingId}/reviews/${id}/report`);
        expect(latenessIn(again.body)).toEqual([false, false]);
        expect((await seenBy(caller, of(scene).review)).firstOpenedAt).toBeNull();
      },
    },
    {
      when: 'published, by the person assessed',
      as: 'session',
      params: (scene: Scene) => assessed(scene, true),
      status: 200,
      then: async ({ body, text }: Answer, scene: Scene) => {
        const { review, leader } = of(scene);
        expect(body.report).toMatchObject({ published: true, student: { name: '' } });
        // The same for everybody, and its sound is heard by each.
        expect((await leader.get(`/api/meetings/${review.meetingId}/reviews/${review.id}/report`)).text).toBe(text);
        expect((await scene.caller.get(body.report.src)).status).toBe(200);
      },
    },
    {
      when: 'open, by the person assessed who has no part yet',
      as: 'session',
      params: (scene: Scene) => assessed(scene, false),
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'taken back since: absent',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await graded(scene, 'reviewer');
        await setStatus(scene.caller, of(scene).review, 'in-progress');
        return named;
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ report: null }),
    },
    {
      when: 'by who supervises, before it is open: absent',
      as: 'session',
      params: (scene: Scene) => graded(scene, 'supervisor'),
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ report: null }),
    },
    {
      when: 'by who owns the recording and has no part: absent, though it is open',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await reviewed('stranger', { complete: true })(scene);
        await share(scene.house, named.id, scene.caller, roles.canEditShare);
        return named;
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual({ report: null }),
    },
    ...hidden(),
  ],
  'GET /api/meetings/:id/reviews/:reviewId/report/file': [
    {
      when: 'once it is open: a PDF without what stands in braces',
      as: 'session',
      params: (scene: Scene) => told(scene),
      query: '?type=pdf',
      status: 200,
      then: ({ bytes, headers }: Answer) => {
        expect(headers.get('content-type')).toBe('application/pdf');
        expect(headers.get('content-disposition')).toContain('filename="Report');
        const text = readPdf(bytes).pages.join('');
        expect(text).toContain('Interrupts [redacted].');
        expect(text).not.toContain('secret');
      },
    },
    {
      when: 'a Word document',
      as: 'session',
      params: (scene: Scene) => graded(scene),
      query: '?type=docx',
      status: 200,
      then: ({ bytes, headers }: Answer) => {
        expect(headers.get('content-type')).toContain('wordprocessingml');
        expect(Buffer.from(bytes.slice(0, 2)).toString()).toBe('PK');
      },
    },
    {
      when: 'before it is open',
      as: 'session',
      params: reviewed('leader'),
      query: '?type=pdf',
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      when: 'of another kind',
      as: 'session',
      params: reviewed('leader', { complete: true }),
      query: '?type=odt',
      status: 422,
      code: 'INVALID',
      fields: { type: 'invalid' },
    },
    {
      when: 'more files than anybody wants in a minute',
      as: 'session',
      params: async (scene: Scene) => {
        await scene.exhaust(rules.export, scene.caller.id);
        return reviewed('leader', { complete: true })(scene);
      },
      query: '?type=pdf',
      status: 429,
      code: 'RATE',
    },
    ...hidden().map((row) => ({ ...row, query: '?type=pdf' })),
  ],
  'GET /api/meetings/:id/reviews/:reviewId/listened': [
    {
      when: 'one’s own parts, in order and merged, where the review asks for them',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await toHear(scene);
        const heard = [
          [30_000, 40_000],
          [0, 10_000],
          [10_000, 12_000],
        ];
        done(await scene.caller.put(`/api/meetings/${id}/listened`, { heard }));
        return thatReview(scene);
      },
      status: 200,
      then: ({ body }: Answer) => {
        expect(listenedPartsAnswer.parse(body)).toEqual({
          ...{ duration: 100_000, people: [] },
          mine: {
            shared: false,
            heard: [
              [0, 12_000],
              [30_000, 40_000],
            ],
          },
        });
      },
    },
    {
      when: 'for its leader before it opens: nothing, whoever shows theirs',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await reviewed('leader')(scene);
        const { reviewer, review } = of(scene);
        done(await showing(reviewer, review));
        return named;
      },
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ mine: null, people: [] }),
    },
    {
      when: 'for its leader once it is open: of who shows theirs',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await reviewed('leader')(scene);
        const { reviewer, review } = of(scene);
        done(await showing(reviewer, review));
        const { cloneId } = await seenBy(reviewer, review);
        done(await reviewer.put(`/api/meetings/${cloneId}/listened`, { heard: [[0, 1000]] }));
        await setStatus(reviewer, review, 'complete');
        return named;
      },
      status: 200,
      then: ({ body }: Answer, scene: Scene) => {
        const [row] = of(scene).review.reviewers;
        expect(body).toMatchObject({ mine: null, people: [{ id: row?.id, heard: [[0, 1000]] }] });
      },
    },
    ...hidden(),
  ],
  'PUT /api/meetings/:id/reviews/:reviewId/listened': [
    {
      when: 'to show it: what comes from then on',
      as: 'session',
      params: (scene: Scene) => reviewed('reviewer')(scene),
      body: { shared: true },
      status: 200,
      then: ({ body }: Answer) =>
        expect(listenedPartsAnswer.parse(body)).toMatchObject({ mine: { shared: true, heard: [] }, people: [] }),
    },
    {
      when: 'to hide it: nothing of it is kept',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await toHear(scene, null);
        done(await showing(scene.caller, of(scene).review));
        done(await scene.caller.put(`/api/meetings/${id}/listened`, { heard: [[0, 20_000]] }));
        return thatReview(scene);
      },
      body: { shared: false },
      status: 200,
      then: async ({ body }: Answer, { house, caller }: Scene) => {
        expect(body.mine).toEqual({ shared: false, heard: [] });
        expect(await house.database.sql`select 1 from listened where user_id = ${caller.id}`).toEqual([]);
      },
    },
    {
      when: 'to hide it where the review asks for it: it counts, and nobody sees it',
      as: 'session',
      params: async (scene: Scene) => {
        const { id } = await toHear(scene);
        done(await showing(scene.caller, of(scene).review));
        done(await scene.caller.put(`/api/meetings/${id}/listened`, { heard: [[0, 70_000]] }));
        return thatReview(scene);
      },
      body: { shared: false },
      status: 200,
      then: async ({ body }: Answer, scene: Scene) => {
        expect(body.mine).toEqual({ shared: false, heard: [[0, 70_000]] });
        const { leader, review } = of(scene);
        await setStatus(scene.caller, review, 'complete');
        const seen = await leader.get(`/api/meetings/${review.meetingId}/reviews/${review.id}/listened`);
        expect(seen.body.people).toEqual([]);
      },
    },
    {
      when: 'after completing, when nothing is annotated any more',
      as: 'session',
      params: (scene: Scene) => reviewed('reviewer', { complete: true })(scene),
      body: { shared: true },
      status: 200,
    },
    {
      when: 'by a leader without an assessment',
      as: 'session',
      params: (scene: Scene) => reviewed('leader')(scene),
      body: { shared: true },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'neither shown nor hidden',
      as: 'session',
      params: (scene: Scene) => reviewed('reviewer')(scene),
      body: {},
      status: 422,
      code: 'INVALID',
      fields: { shared: 'required' },
    },
    ...hidden().map((row) => ({ ...row, body: { shared: true } })),
  ],
  'PUT /api/meetings/:id/listened': [
    {
      when: 'parts that overlap count once, and those past the end not at all',
      as: 'session',
      params: (scene: Scene) => toHear(scene),
      body: {
        heard: [
          [0, 20_000],
          [10_000, 30_000],
          [99_000, 200_000],
        ],
      },
      status: 200,
      then: async ({ body }: Answer, scene: Scene) => {
        expect(listenedAnswer.parse(body)).toEqual({ heard: 31 });
        const { mine, coverage } = await seenBy(scene.caller, of(scene).review);
        expect([mine?.heard, coverage]).toEqual([31, 60]);
      },
    },
    {
      when: 'enough of it: the assessment is completed, not before',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await toHear(scene);
        const { leader, review } = of(scene);
        const refused = await scene.caller.post(reviewerPath(review), { status: 'complete' });
        expect([refused.status, refused.problem.info?.errors]).toEqual([422, [{ field: 'status', code: 'unheard' }]]);
        expect(refused.text).toContain('0 %');
        expect((await seenBy(leader, review)).reviewers).toMatchObject([{ heardEnough: false }]);
        return named;
      },
      body: { heard: [[0, 60_000]] },
      status: 200,
      then: async (_: Answer, scene: Scene) => {
        const { leader, review } = of(scene);
        expect((await seenBy(leader, review)).reviewers).toMatchObject([{ heardEnough: true }]);
        await setStatus(scene.caller, review, 'complete');
      },
    },
    {
      when: 'faster than sound can be played',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await toHear(scene);
        done(await scene.caller.put(`/api/meetings/${named.id}/listened`, { heard: [[0, 1000]] }));
        return named;
      },
      body: { heard: [[0, 90_000]] },
      status: 422,
      code: 'INVALID',
      fields: { heard: 'too_fast' },
    },
    ...(
      [
        ['nothing', { heard: [] }, { heard: 'required' }],
        ['a part that ends before it begins', { heard: [[2, 1]] }, { 'heard.0': 'invalid' }],
        ['too many parts', { heard: Array.from({ length: 1001 }, () => [0, 1]) }, { heard: 'too_many' }],
      ] as const
    ).map(([when, body, fields]): Row => ({
      ...{ when, as: 'session', params: (scene: Scene) => toHear(scene), body, fields, status: 422, code: 'INVALID' },
    })),
    {
      when: 'where nobody asks for it: nothing is kept',
      as: 'session',
      params: (scene: Scene) => toHear(scene, null),
      body: { heard: [[0, 20_000]] },
      status: 200,
      then: async ({ body }: Answer, { house, caller }: Scene) => {
        expect(body).toEqual({ heard: null });
        expect(await house.database.sql`select 1 from listened where user_id = ${caller.id}`).toEqual([]);
      },
    },
    {
      when: 'where nobody asks for it, and the caller shows it: it is kept',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await toHear(scene, null);
        done(await showing(scene.caller, of(scene).review));
        return named;
      },
      body: { heard: [[0, 20_000]] },
      status: 200,
      then: async ({ body }: Answer, scene: Scene) => {
        expect(body).toEqual({ heard: 20 });
        // Without `coverage` a review tells no share of it.
        expect((await seenBy(scene.caller, of(scene).review)).mine?.heard).toBeNull();
      },
    },
    {
      when: 'by the id of a recording',
      as: 'session',
      params: own,
      body: { heard: [[0, 1]] },
      status: 404,
      code: 'NOT_FOUND',
    },
    { when: 'no such layer', as: 'session', body: { heard: [[0, 1]] }, status: 403, code: 'NO_ACCESS' },
  ],
  'PUT /api/meetings/:id/grades/:type': [
    {
      when: 'in one’s own assessment, without a passage: it has begun',
      as: 'session',
      params: ownSheet,
      body: { grade: 3, words: 'At the end ' },
      status: 200,
      then: async ({ body }: Answer, scene: Scene) => {
        const { caller } = scene;
        const grade = { key: 'listening', type: 'listening', grade: 3, words: 'At the end', rev: 1, by: caller.id };
        expect(gradeAnswer.parse(body)).toEqual({ grade });
        const review = await seenBy(caller, of(scene).review);
        expect(review.mine?.status).toBe('in-progress');
        expect((await caller.get(`/api/meetings/${review.cloneId}`)).body.doc.grades).toEqual([grade]);
      },
    },
    {
      when: 'words beside a grade: it stays, and so do words that were added meanwhile',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await ownSheet(scene);
        const path = `/api/meetings/${named.id}/grades/${named.type}`;
        expect((await scene.caller.put(path, { grade: -1, words: 'Not so. Never.' })).status).toBe(200);
        return named;
      },
      body: { words: 'Really not so.', wordsWas: 'Not so.' },
      status: 200,
      then: ({ body }: Answer) => {
        expect(body.grade).toMatchObject({ grade: -1, rev: 2 });
        expect(body.grade.words).toContain('Never.');
        expect(body.grade.words).toContain('Really');
      },
    },
    {
      when: 'null: the passages decide again',
      as: 'session',
      params: ownSheet,
      body: { grade: null },
      status: 200,
      then: ({ body }: Answer) => expect(body.grade).toMatchObject({ grade: null, rev: 1 }),
    },
    {
      when: 'a joint assessment: each has their own',
      as: 'session',
      params: async (scene: Scene) => ({ ...(await ownSheet(scene, { policy: 'relaxed' })) }),
      body: { grade: 2 },
      status: 200,
      then: ({ body }: Answer, { caller }: Scene) => expect(body.grade.key).toBe(`listening ${caller.id}`),
    },
    ...(
      [
        ['a grade that the type does not have', { grade: 5 }, { grade: 'invalid' }, 'listening'],
        ['a type that is not graded', { grade: -1 }, { type: 'unknown' }, 'notes'],
        ['no such type', { grade: 1 }, { type: 'unknown' }, 'nothing'],
        ['no grade and no words', {}, { grade: 'required' }, 'listening'],
        ['a word for a grade', { grade: 'good' }, { grade: 'invalid' }, 'listening'],
        ['too many words', { words: 'a'.repeat(2001) }, { words: 'too_long' }, 'listening'],
        ['earlier words without later ones', { grade: 1, wordsWas: 'a' }, { words: 'required' }, 'listening'],
      ] as const
    ).map(([when, body, fields, type]): Row => ({
      ...{ when, as: 'session', status: 422, code: 'INVALID', body, fields },
      params: async (scene: Scene) => ({ ...(await ownSheet(scene)), type }),
    })),
    {
      when: 'a type of somebody else’s set',
      as: 'session',
      params: async (scene: Scene) => {
        const foreign = await makeSet(await scene.person());
        return { ...(await ownSheet(scene)), type: foreign.types[0]?.id ?? '' };
      },
      body: { grade: 3 },
      status: 422,
      code: 'INVALID',
      fields: { type: 'unknown' },
    },
    {
      when: 'by the id of a recording: it has no sheet',
      as: 'session',
      params: async (scene: Scene) => ({ ...(await own(scene)), type: 'listening' }),
      body: { grade: 1 },
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      when: 'in a layer that one only reads',
      as: 'session',
      params: async (scene: Scene) => {
        const named = await ownSheet(scene);
        await setStatus(scene.caller, of(scene).review, 'complete');
        return named;
      },
      body: { grade: 1 },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'in the assessment of another',
      as: 'session',
      params: async (scene: Scene) => {
        await reviewed('stranger')(scene);
        return sheetOf(of(scene).reviewer, of(scene).review);
      },
      body: { grade: 1 },
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      ...sameRequest,
      params: async (scene: Scene) => {
        await reviewed('leader')(scene);
        const { leader, review } = of(scene);
        const path = `/api/meetings/${review.meetingId}/reviews/${review.id}/join`;
        expect((await leader.post(path, { role: 'required' })).status).toBe(200);
        return sheetOf(leader, review);
      },
      body: { grade: 1 },
    },
  ],
} satisfies Table;
