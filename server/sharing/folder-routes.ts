import { Hono } from 'hono';
import { placeAt } from '#shared/folders.ts';
import { folderAclInput, folderSharingQuery, folderSharingView, sharedAnswer } from '#shared/sharing.ts';
import { body, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { shareFolder, unshareFolder, viewFolderSharing } from './folders.ts';

const tag = 'Sharing';
const aboutPaths =
  'A folder is one of one’s own by its `path`, or the one `sid` names, or with both what lies below that one.';

export const folderSharingRoutes = new Hono<Env>()
  .get(
    '/folders/share',
    describe({
      summary: 'Who may do what with a folder and all that lies in it; `inherited` is by the folders it lies in',
      more: aboutPaths,
      tag,
      answer: folderSharingView,
      problems: ['NO_ACCESS', 'NO_PERM', 'INVALID'],
    }),
    query(folderSharingQuery),
    async (c) => c.json(await viewFolderSharing(c.var.ctx, c.req.valid('query'))),
  )
  .post(
    '/folders/share',
    describe({
      summary: 'Say who may do what with a folder: the full list of everybody beside its owner',
      more: `${aboutPaths} Entries are those of a meeting’s list, but for a link, which a folder has none of; whoever may write there holds \`upload\`, too, and may add recordings and folders. What somebody adds stays theirs, and the folder’s owner holds all of it while it lies there. \`version\` is the one the list was read at; a conflict tells the one there is now.`,
      tag,
      answer: sharedAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'IDEMP', 'RATE'],
    }),
    body(folderAclInput),
    once,
    async (c) => c.json(await shareFolder(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/folders/unshare',
    describe({
      summary: 'Share a folder of one’s own with nobody any more, or leave one that somebody shares with one by name',
      more: aboutPaths,
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'],
    }),
    body(placeAt),
    once,
    async (c) => {
      await unshareFolder(c.var.ctx, c.req.valid('json'));
      return c.body(null, 204);
    },
  );
