import { Hono } from 'hono';
import {
  breadcrumbsAnswer,
  deletedFolderView,
  folderAt,
  folderInput,
  foldersAnswer,
  folderView,
  manyAnswer,
  meetingsInput,
  moveFolderInput,
  moveMeetingsInput,
  placeAt,
  renameFolderInput,
  restoreFolderInput,
} from '#shared/folders.ts';
import { deletedAnswer, deletedQuery } from '#shared/meetings/meeting.ts';
import { body, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { listDeleted, removeDeleted } from './deleted.ts';
import {
  breadcrumbs,
  createFolder,
  deleteFolder,
  listFolders,
  moveFolder,
  renameFolder,
  restoreFolder,
} from './folders.ts';
import { deleteMeetings, moveMeeting, moveMeetings, restoreMeetings } from './many.ts';

const tag = 'Library';
const aboutPaths =
  'A path is made of names from the top, such as `/Interviews/2026`; `/` is the library itself. `sid` names a folder somebody shares.';
const aboutMany = 'Each by itself: `failed` names those nothing was done with, and why.';

/** Routes for folders, and for actions on many recordings at once. */
export const libraryRoutes = new Hono<Env>()
  .get(
    '/folders',
    describe({
      summary: 'All folders of one’s own, each behind the one it lies in',
      tag,
      answer: foldersAnswer,
    }),
    async (c) => c.json(await listFolders(c.var.ctx)),
  )
  .post(
    '/folders',
    describe({
      summary: 'Make a folder; the folder it is to lie in has to be there',
      more: aboutPaths,
      tag,
      answer: folderView,
      problems: ['NO_PERM', 'IDEMP'],
    }),
    body(folderInput),
    once,
    async (c) => c.json(await createFolder(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/folders/breadcrumbs',
    describe({
      summary: 'The folders that lead to one, from the top, itself last',
      more: aboutPaths,
      tag,
      answer: breadcrumbsAnswer,
      problems: ['NO_ACCESS'],
    }),
    body(placeAt),
    async (c) => c.json(await breadcrumbs(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/folders/rename',
    describe({
      summary: 'Give a folder another name',
      more: aboutPaths,
      tag,
      answer: folderView,
      problems: ['NO_PERM', 'IDEMP'],
    }),
    body(renameFolderInput),
    once,
    async (c) => c.json(await renameFolder(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/folders/move',
    describe({
      summary: 'Put a folder, with all that lies in it, into another; never into itself',
      more: aboutPaths,
      tag,
      answer: folderView,
      problems: ['NO_PERM', 'IDEMP'],
    }),
    body(moveFolderInput),
    once,
    async (c) => c.json(await moveFolder(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/folders/delete',
    describe({
      summary: 'Delete a folder with all that lies in it; for 30 days it can be brought back',
      more: aboutPaths,
      tag,
      answer: deletedFolderView,
      problems: ['NO_PERM', 'IDEMP'],
    }),
    body(folderAt),
    once,
    async (c) => c.json(await deleteFolder(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/folders/restore',
    describe({
      summary: 'Bring a deleted folder back with all that went with it',
      more: 'It lies where it was, or at the top where that is gone; where another folder has its name by now, it gets a number.',
      tag,
      answer: folderView,
      problems: ['NO_ACCESS', 'IDEMP'],
    }),
    body(restoreFolderInput),
    once,
    async (c) => c.json(await restoreFolder(c.var.ctx, c.req.valid('json'))),
  )
  .put(
    '/meetings/:id/move',
    describe({
      summary: 'Put a meeting of one’s own into a folder',
      more: aboutPaths,
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'],
    }),
    body(placeAt),
    once,
    async (c) => {
      await moveMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/move',
    describe({
      summary: 'Put many meetings of one’s own into a folder',
      more: `${aboutPaths} ${aboutMany}`,
      tag,
      answer: manyAnswer,
      problems: ['NO_PERM', 'IDEMP'],
    }),
    body(moveMeetingsInput),
    once,
    async (c) => c.json(await moveMeetings(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/meetings/delete',
    describe({
      summary: 'Delete many meetings; for 30 days they can be brought back',
      more: aboutMany,
      tag,
      answer: manyAnswer,
      problems: ['IDEMP'],
    }),
    body(meetingsInput),
    once,
    async (c) => c.json(await deleteMeetings(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/meetings/restore',
    describe({
      summary: 'Bring many deleted meetings back',
      more: aboutMany,
      tag,
      answer: manyAnswer,
      problems: ['IDEMP'],
    }),
    body(meetingsInput),
    once,
    async (c) => c.json(await restoreMeetings(c.var.ctx, c.req.valid('json'))),
  )
  .get(
    '/deleted',
    describe({
      summary: 'One’s own recordings and folders that are deleted and can still be brought back, the newest first',
      more: 'What went with a folder comes back with it (`POST /api/folders/restore`), a recording by itself (`POST /api/meetings/restore`).',
      tag,
      answer: deletedAnswer,
      problems: ['INVALID'],
    }),
    query(deletedQuery),
    async (c) => c.json(await listDeleted(c.var.ctx, c.req.valid('query'))),
  )
  .post(
    '/deleted/remove',
    describe({
      summary: 'Delete for good what is deleted already; nothing brings it back',
      more: aboutMany,
      tag,
      answer: manyAnswer,
      problems: ['IDEMP'],
    }),
    body(meetingsInput),
    once,
    async (c) => c.json(await removeDeleted(c.var.ctx, c.req.valid('json'))),
  );
