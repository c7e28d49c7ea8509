import { Hono } from 'hono';
import {
  changesAnswer,
  changesQuery,
  nameVersionInput,
  restoredAnswer,
  versionsAnswer,
  versionsQuery,
  type ChangesAnswer,
} from '#shared/meetings/history.ts';
import { meetingView, type MeetingView } from '#shared/meetings/meeting.ts';
import { jsonBytes } from '../http/answer.ts';
import { body, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { noSuchVersion } from '../rooms/at-version.ts';
import { changesOf } from './history-changes.ts';
import { listVersions } from './history-list.ts';
import { nameVersion, restoreVersion, unnameVersion, viewVersion } from './history.ts';

const tag = 'History';

/** Parses a version; anything but a number is an unknown version. */
function versionOf(given: string): number {
  if (!/^\d{1,16}$/.test(given)) throw noSuchVersion();
  return Number(given);
}

export const historyRoutes = new Hono<Env>()
  .get(
    '/meetings/:id/versions',
    describe({
      summary: 'List the versions of a document with times and authors, newest first',
      tag,
      open: true,
      answer: versionsAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'INVALID'],
    }),
    query(versionsQuery),
    async (c) => c.json(await listVersions(c.var.ctx, { ...c.req.valid('query'), id: c.req.param('id') })),
  )
  .get(
    '/meetings/:id/versions/:version',
    describe({
      summary: 'Get a meeting with its document at a version',
      tag,
      open: true,
      answer: meetingView,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND'],
    }),
    async (c) => {
      const version = versionOf(c.req.param('version'));
      return jsonBytes<MeetingView>(c, await viewVersion(c.var.ctx, { id: c.req.param('id'), version }));
    },
  )
  .get(
    '/meetings/:id/versions/:version/changes',
    describe({
      summary: 'Get the text at a version and its changes `since` an earlier one, word by word with authors',
      tag,
      open: true,
      answer: changesAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'INVALID'],
    }),
    query(changesQuery),
    async (c) => {
      const version = versionOf(c.req.param('version'));
      const asked = { ...c.req.valid('query'), id: c.req.param('id'), version };
      return jsonBytes<ChangesAnswer>(c, await changesOf(c.var.ctx, asked));
    },
  )
  .put(
    '/meetings/:id/versions/:version/name',
    describe({
      summary: 'Name or rename a version',
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND'],
    }),
    body(nameVersionInput),
    async (c) => {
      const version = versionOf(c.req.param('version'));
      await nameVersion(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id'), version });
      return c.body(null, 204);
    },
  )
  .delete(
    '/meetings/:id/versions/:version/name',
    describe({ summary: 'Remove a version’s name', tag, problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND'] }),
    async (c) => {
      const version = versionOf(c.req.param('version'));
      await unnameVersion(c.var.ctx, { id: c.req.param('id'), version });
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/versions/:version/restore',
    describe({
      summary: 'Restore the document as it was at a version; its present state stays in the history',
      tag,
      answer: restoredAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'NOT_FOUND', 'IDEMP'],
    }),
    // A repeated request without `once` would undo changes made since.
    once,
    async (c) => {
      const version = versionOf(c.req.param('version'));
      return c.json(await restoreVersion(c.var.ctx, { id: c.req.param('id'), version }));
    },
  );
