import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import {
  costsQuery,
  costsView,
  createdView,
  languagesView,
  nextInput,
  partView,
  processInput,
  progressView,
  replacedView,
  transcribeInfoView,
  upgradeInput,
  uploadInput,
  wholeUploadView,
} from '#shared/intake.ts';
import { invalid } from '#shared/problems.ts';
import { offersOf } from '../engines/engines.ts';
import { body, noParameters, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { ownOrigins } from '../http/guard.ts';
import { formOf } from '../http/multipart.ts';
import { describe } from '../http/openapi.ts';
import { createMeeting } from './create.ts';
import { costsWith } from './processing-costs.ts';
import { processMeeting } from './process.ts';
import { upgradeMeeting } from './upgrade.ts';
import { replaceTranscript } from './replace.ts';
import { transcribeInfo } from './transcribe-info.ts';
import { abortUpload, beginInParts, beginWhole, nextPart } from './uploads.ts';

const tag = 'Intake';

export const intakeRoutes = new Hono<Env>()
  .get(
    '/languages',
    describe({
      summary: 'List the languages and models for transcription',
      tag,
      open: true,
      answer: languagesView,
      problems: ['INVALID'],
    }),
    noParameters,
    (c) => c.json(offersOf(c.var.ctx)),
  )
  .get(
    '/transcribe-info',
    describe({
      summary: 'List the languages and models, with the trial minutes of a new account and those the caller has left',
      tag,
      open: true,
      answer: transcribeInfoView,
    }),
    async (c) => c.json(await transcribeInfo(c.var.ctx)),
  )
  .post(
    '/multipart-uploads',
    describe({
      summary: 'Start an upload in parts; the answer says which part to send and where to PUT its bytes',
      tag,
      answer: partView,
      problems: ['RATE'],
    }),
    body(uploadInput),
    async (c) => c.json(await beginInParts(c.var.ctx, c.req.valid('json'), baseOf(c))),
  )
  .post(
    '/multipart-uploads/:id/next',
    describe({
      summary: 'Get the next missing part, until its length is 0; a part whose digest was given accepts no other bytes',
      tag,
      answer: partView,
      problems: ['NO_ACCESS', 'CONFLICT'],
    }),
    body(nextInput),
    async (c) => {
      const id = c.req.param('id');
      const { multipartUploadId, part } = c.req.valid('json');
      if (multipartUploadId !== undefined && multipartUploadId !== id)
        throw invalid({ field: 'multipartUploadId', code: 'invalid' });
      return c.json(await nextPart(c.var.ctx, { id, part }, baseOf(c)));
    },
  )
  .delete(
    '/multipart-uploads/:id',
    describe({
      summary: 'Cancel an upload and delete what was sent',
      tag,
      problems: ['NO_ACCESS', 'CONFLICT'],
    }),
    async (c) => {
      await abortUpload(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .post(
    '/uploads',
    describe({
      summary: 'Get the address for uploading a recording by a form, and the fields to send before the file',
      tag,
      answer: wholeUploadView,
      problems: ['RATE'],
    }),
    body(uploadInput),
    async (c) => c.json(await beginWhole(c.var.ctx, c.req.valid('json'), baseOf(c))),
  )
  .post(
    '/meetings-fast',
    describe({
      summary: 'Create a meeting from a recording (`uploadId` or `file`), a `transcript`, or both',
      more: 'The content of a transcript tells its format with the `transcriptType` AUTO; others are REV (if it is left out), TRME, ZOOM, RAE, OTTERAI, TURBOSCRIBE, VTT, SRT and TEXT. `readAs` is the format that it was read as. With the model `none` the recording has no transcript: it costs nothing, is ready when it can be played, can be transcribed later, and takes no `transcript`.',
      tag,
      answer: createdView,
      form: {
        title: 'text',
        uploadId: 'text',
        file: 'file',
        zoomMeetingId: 'text',
        zoomRecordingFileId: 'text',
        webexMeetingId: 'text',
        webexFileType: 'text',
        model: 'text',
        lang: 'text',
        spk_num: 'text',
        vocab: 'text',
        transcript: 'file',
        transcriptType: 'text',
        chatModelId: 'text',
        folder: 'text',
        shared_folder: 'text',
        circle_id: 'text',
        invite: 'text',
        mentor: 'text',
      },
      problems: [
        'NO_ACCESS',
        'NO_PERM',
        'NOT_FOUND',
        'CONFLICT',
        'IDEMP',
        'RATE',
        'UNAVAILABLE',
        'UPSTREAM',
        'WEBEX_AUTH',
        'ZOOM_AUTH',
      ],
    }),
    async (c) => {
      const length = Number(c.req.header('content-length') ?? Number.MAX_SAFE_INTEGER);
      return c.json(await createMeeting(c.var.ctx, formOf(c), length));
    },
  )
  .post(
    '/meetings/:id/process',
    describe({
      summary: 'Start processing a meeting at the price that was shown',
      more: 'One that is processed already answers its progress; one that is ready with the model `none` can be transcribed with another model.',
      tag,
      answer: z.object({ id: z.string(), progress: progressView }),
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'CONFLICT', 'PRICE'],
    }),
    body(processInput),
    async (c) => c.json(await processMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .get(
    '/meetings/:id/costs',
    describe({
      summary: 'List the ways to pay for processing a meeting with a model, or for its upgrade',
      more: 'With `purpose=upgrade` the ways to make a meeting that free minutes paid for a paid one; none for all others.',
      tag,
      answer: costsView,
      problems: ['NO_ACCESS', 'NO_PERM', 'INVALID', 'CONFLICT'],
    }),
    query(costsQuery),
    async (c) => c.json(await costsWith(c.var.ctx, { ...c.req.valid('query'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/upgrade',
    describe({
      summary:
        'Make a meeting that free minutes paid for a paid one, at the price that was shown; does nothing if it is one',
      tag,
      answer: z.object({ id: z.string(), progress: progressView }),
      problems: ['NO_ACCESS', 'NO_PERM', 'FUNDS', 'QUOTA', 'PRICE'],
    }),
    body(upgradeInput),
    async (c) => c.json(await upgradeMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/replace',
    describe({
      summary: 'Replace a meeting’s transcript; the old one stays in the history',
      tag,
      answer: replacedView,
      form: { transcript: 'file', transcriptType: 'text' },
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'CONFLICT', 'IDEMP', 'RATE', 'UNAVAILABLE'],
    }),
    async (c) => c.json(await replaceTranscript(c.var.ctx, { id: c.req.param('id'), form: formOf(c) })),
  );

/** The origin the client used: a page may only connect to its own. */
export function baseOf(c: Context<Env>): string {
  const { ctx } = c.var;
  const called = `http://${c.req.header('host') ?? ''}`;
  return ownOrigins(ctx.config, ctx.origin()).includes(called) ? called : ctx.origin();
}
