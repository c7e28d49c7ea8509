import { Hono } from 'hono';
import { listenedAnswer, listenedInput, listenedPartsAnswer, showListenedInput } from '#shared/reviews/listened.ts';
import {
  inviteCompleteInput,
  joinAnswer,
  joinInput,
  reviewAnswer,
  reviewChange,
  reviewerChange,
  reviewInput,
  reviewsAnswer,
} from '#shared/reviews.ts';
import { agreementAnswer } from '#shared/reviews/agreement-view.ts';
import { calibrationAnswer } from '#shared/reviews/calibration.ts';
import { body, noParameters } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { viewAgreement } from './agreement.ts';
import { viewCalibration } from './calibration.ts';
import { addListened, showListened, viewListened } from './listened.ts';
import { changeReview, changeReviewer, deleteReview, joinReview, publishReview, reopenReview } from './change.ts';
import { completeInvited } from './invited.ts';
import { requestReview } from './request.ts';
import { listReviews, viewReview } from './view.ts';

const tag = 'Reviews';

const people = 'A person is named by `id`, for people the caller knows, or by `email`.';

export const reviewRoutes = new Hono<Env>()
  .get(
    '/meetings/:id/reviews',
    describe({
      summary: 'List the reviews of a recording that the caller has a part in; all for who owns it',
      tag,
      answer: reviewsAnswer,
      problems: ['NO_ACCESS', 'INVALID'],
    }),
    noParameters,
    async (c) => c.json(await listReviews(c.var.ctx, c.req.param())),
  )
  .post(
    '/meetings/:id/reviews',
    describe({
      summary: 'Ask people to assess a recording',
      more: `${people} \`student\` is the person who is assessed. In strict and student reviews, reviewers learn nothing of each other before the review opens; with \`observers\`, people who watch or oversee are shown as present. With \`anonymous\`, which stays, only supervisors and the leader learn who reviewers are: others get “Reviewer 1” as a name, and annotations have the reviewer’s \`id\` as their author. \`closeText\` closes the transcript as the call of that name does, with the name of its version.`,
      tag,
      answer: reviewAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'INVALID', 'IDEMP'],
    }),
    body(reviewInput),
    once,
    async (c) => c.json(await requestReview(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .get(
    '/meetings/:id/reviews/:reviewId',
    describe({
      summary: 'Get a review as far as the caller may know it',
      more: '`cloneId` is the layer to open: it stands in the place of a meeting’s id in the calls of annotations. `can` lists what the caller may do.',
      tag,
      answer: reviewAnswer,
      problems: ['NO_PERM'],
    }),
    async (c) => c.json(await viewReview(c.var.ctx, c.req.param())),
  )
  .post(
    '/meetings/:id/reviews/:reviewId',
    describe({
      summary: 'Change a review, based on the `rev` that was read',
      more: `For its leader; who owns the recording may add reviewers. ${people} Policy, outcome types and most roles stay as they are once somebody has begun.`,
      tag,
      answer: reviewAnswer,
      problems: ['NO_PERM', 'CONFLICT', 'INVALID', 'IDEMP'],
    }),
    body(reviewChange),
    once,
    async (c) => c.json(await changeReview(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() })),
  )
  .delete(
    '/meetings/:id/reviews/:reviewId',
    describe({
      summary: 'Delete a review with all annotations in it',
      tag,
      problems: ['NO_PERM', 'IDEMP'],
    }),
    once,
    async (c) => {
      await deleteReview(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/reviews/:reviewId/reviewers/:reviewerId',
    describe({
      summary: 'Change one’s own status and comment in a review',
      more: '`complete` completes one’s assessment, `in-progress` takes that back.',
      tag,
      answer: reviewAnswer,
      problems: ['NO_PERM', 'CONFLICT', 'IDEMP'],
    }),
    body(reviewerChange),
    once,
    async (c) => c.json(await changeReviewer(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() })),
  )
  .post(
    '/meetings/:id/invite/complete',
    describe({
      summary: 'Complete one’s own assessment of a recording, named by its layer',
      more: '`notesId` is the `cloneId` of the caller’s row. The same as completing in the review: a mentor is asked once the person who added the recording has completed.',
      tag,
      answer: reviewAnswer,
      problems: ['NO_PERM', 'CONFLICT', 'INVALID', 'IDEMP'],
    }),
    body(inviteCompleteInput),
    once,
    async (c) => c.json(await completeInvited(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/reviews/:reviewId/join',
    describe({
      summary: 'Add oneself to the reviewers, for who owns the recording; others ask the leader',
      more: 'The answer to others is the same whether there is such a review or not.',
      tag,
      answer: joinAnswer,
      problems: ['NO_PERM', 'CONFLICT', 'INVALID', 'IDEMP'],
    }),
    body(joinInput),
    once,
    async (c) => c.json(await joinReview(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() })),
  )
  .post(
    '/meetings/:id/reviews/:reviewId/publish',
    describe({
      summary: 'Show an open review to the person who was assessed',
      tag,
      answer: reviewAnswer,
      problems: ['NO_PERM', 'CONFLICT', 'IDEMP'],
    }),
    once,
    async (c) => c.json(await publishReview(c.var.ctx, c.req.param())),
  )
  .post(
    '/meetings/:id/reviews/:reviewId/reopen',
    describe({
      summary: 'Let reviewers go on with an open review',
      tag,
      answer: reviewAnswer,
      problems: ['NO_PERM', 'CONFLICT', 'IDEMP'],
    }),
    once,
    async (c) => c.json(await reopenReview(c.var.ctx, c.req.param())),
  )
  .put(
    '/meetings/:id/listened',
    describe({
      summary:
        'Tell which parts of the recording the caller has listened to while they assess; `id` is that of a layer',
      more: 'Parts are added to those told before, and grow three times as fast as the clock at most. They are kept where the review asks that people listen, or the caller shows what they listened to.',
      tag,
      answer: listenedAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'INVALID', 'IDEMP'],
    }),
    body(listenedInput),
    once,
    async (c) => c.json(await addListened(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() })),
  )
  .get(
    '/meetings/:id/reviews/:reviewId/listened',
    describe({
      summary: 'Get which parts of the recording the caller has listened to, and others who show it',
      more: 'Of others, those whose assessment the caller reads. Blind reviewers get their own parts alone.',
      tag,
      answer: listenedPartsAnswer,
      problems: ['NO_PERM'],
    }),
    async (c) => c.json(await viewListened(c.var.ctx, c.req.param())),
  )
  .put(
    '/meetings/:id/reviews/:reviewId/listened',
    describe({
      summary: 'Show which parts the caller has listened to, to those who read their assessment, or hide it',
      more: 'What is hidden is deleted, unless the review asks that people listen.',
      tag,
      answer: listenedPartsAnswer,
      problems: ['NO_PERM', 'INVALID', 'IDEMP'],
    }),
    body(showListenedInput),
    once,
    async (c) => c.json(await showListened(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() })),
  )
  .get(
    '/meetings/:id/reviews/:reviewId/agreement',
    describe({
      summary: 'Get how far the reviewers whose assessments count agree',
      more: 'Null unless the caller reads all of these assessments, and there are at least two. `blind` has the figures of the first opening, with an interval.',
      tag,
      answer: agreementAnswer,
      problems: ['NO_PERM'],
    }),
    async (c) => c.json(await viewAgreement(c.var.ctx, c.req.param())),
  )
  .get(
    '/meetings/:id/reviews/:reviewId/calibration',
    describe({
      summary: 'Get how completed assessments lie beside the key of their review',
      more: 'A reviewer gets their own once it is complete, and whoever reads the assessments of others gets theirs. Null without a key that is open.',
      tag,
      answer: calibrationAnswer,
      problems: ['NO_PERM'],
    }),
    async (c) => c.json(await viewCalibration(c.var.ctx, c.req.param())),
  );
