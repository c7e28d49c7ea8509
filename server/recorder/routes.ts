import { Hono } from 'hono';
import { z } from 'zod';
import { Problem, invalid } from '#shared/problems.ts';
import {
  keptView,
  liveInput,
  liveStarted,
  liveView,
  mostPieces,
  recorderLimits,
  takeInput,
  takeStarted,
} from '#shared/recorder.ts';
import { body, noParameters, rawBody } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import {
  askToStop,
  beginRecording,
  endRecording,
  pauseRecording,
  resumeRecording,
  viewRecording,
} from './recordings.ts';
import { beginTake, endTake, putPiece } from './takes.ts';

const tag = 'Recorder';
const endInput = z.object({ pieces: z.number('required').int('invalid').min(0, 'invalid').max(mostPieces, 'invalid') });

export const recorderRoutes = new Hono<Env>()
  .post(
    '/meetings/live',
    describe({
      summary: 'Create a meeting for sound that is recorded in the browser',
      more: 'Its state is `recording` until it ends: by `/live/end`, after twelve hours, or after 30 minutes without a piece. Then it is processed like an upload with the model, if exactly one way to pay is enough, and otherwise with the model `none`. `consent` is the version of the notice that the person confirmed.',
      tag,
      answer: liveStarted,
      problems: ['RATE', 'IDEMP'],
    }),
    body(liveInput),
    async (c) => c.json(await beginRecording(c.var.ctx, c.req.valid('json'))),
  )
  .get(
    '/meetings/:id/live',
    describe({
      summary: 'Get the state of a recording in the browser; its takes are for the person who records',
      tag,
      open: true,
      answer: liveView,
      problems: ['NO_ACCESS', 'NOT_FOUND'],
    }),
    noParameters,
    async (c) => c.json(await viewRecording(c.var.ctx, { id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/takes',
    describe({
      summary: 'Begin a take: one run of a recorder on the microphone or a tab, for the person who began the recording',
      more: 'Its pieces go over the WebSocket `/sync/take/{take}`: each as one binary message, a big-endian 32-bit number counted from 1 and then the bytes; `{"end": n}` as text ends the take with n pieces. The server sends `{"kept": n}` when all pieces up to n are stored, and `{"stop": why}`. A take of the same track that another tab records is a CONFLICT with `info.reason` RECORDING_ELSEWHERE, unless `takeOver` is true.',
      tag,
      answer: takeStarted,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'CONFLICT'],
    }),
    body(takeInput),
    async (c) => c.json(await beginTake(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/live/pause',
    describe({
      summary: 'Show that the recording is paused',
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'CONFLICT'],
    }),
    async (c) => {
      await pauseRecording(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/live/resume',
    describe({
      summary: 'Show that the recording goes on after a pause',
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'CONFLICT'],
    }),
    async (c) => {
      await resumeRecording(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/live/end',
    describe({
      summary: 'End the recording and make its file; missing pieces are waited for during two minutes',
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'CONFLICT'],
    }),
    async (c) => {
      await endRecording(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/live/ask-to-stop',
    describe({
      summary: 'Ask the person who records to stop',
      tag,
      problems: ['NO_ACCESS', 'NOT_FOUND', 'CONFLICT', 'RATE'],
    }),
    async (c) => {
      await askToStop(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .put(
    '/takes/:take/pieces/:n',
    describe({
      summary: 'Store one piece of a take, when its socket is away; the same piece may be sent again',
      tag,
      answer: keptView,
      problems: ['NO_ACCESS', 'CONFLICT', 'INVALID', 'TYPE', 'BIG', 'SLOW'],
    }),
    async (c) => {
      const n = Number(c.req.param('n'));
      if (!/^[1-9]\d{0,6}$/.test(c.req.param('n')) || n > mostPieces) throw invalid({ field: 'n', code: 'invalid' });
      if (c.req.header('content-type') !== 'application/octet-stream') throw new Problem('TYPE');
      const bytes = await rawBody(c, recorderLimits.pieceBytes);
      if (bytes.byteLength === 0) throw invalid({ field: '', code: 'required' });
      return c.json(await putPiece(c.var.ctx, { take: c.req.param('take'), n, bytes }));
    },
  )
  .post(
    '/takes/:take/end',
    describe({
      summary: 'End a take with its number of pieces',
      tag,
      answer: keptView,
      problems: ['NO_ACCESS'],
    }),
    body(endInput),
    async (c) => c.json(await endTake(c.var.ctx, { ...c.req.valid('json'), take: c.req.param('take') })),
  );
