import { Hono } from 'hono';
import { placeAt } from '#shared/folders.ts';
import {
  folderAclInput,
  folderSharingQuery,
  folderSharingView,
  paidFolderInput,
  paidShareView,
  sharedAnswer,
} from '#shared/sharing.ts';
import { body, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { payForSharedFolder, shareFolder, unshareFolder, viewFolderSharing } from './folders.ts';

const tag = 'Sharing';
const aboutPaths =
  'Name the caller’s own folder by `path`, a shared one by `sid`, or a folder below a shared one by both.';

export const folderSharingRoutes = new Hono<Env>()
  .get(
    '/folders/share',
    describe({
      summary: 'List who has access to a folder and its content; `inherited` comes from the folders above it',
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
      summary: 'Set who has access to a folder: the full list, without its owner',
      more: `${aboutPaths} Entries are like those of a meeting, except that folders have no link; whoever may write has \`upload\` too, and may add meetings and folders. What somebody adds stays theirs, and the folder’s owner has all permissions on it while it is there. \`version\` is the version of the list that was read; a conflict returns the present one.`,
      tag,
      answer: sharedAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'FUNDS', 'CONFLICT', 'IDEMP', 'RATE'],
    }),
    body(folderAclInput),
    once,
    async (c) => c.json(await shareFolder(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/folders/paid-share',
    describe({
      summary: 'Pay for sharing a folder with people outside the teams of its owner, once a folder',
      more: `${aboutPaths} \`cost\` is an option of \`info.costs\`, which the refusal to share has answered: its number, or the whole option. Then the same list can be saved. What is in the folder costs nothing more.`,
      tag,
      answer: paidShareView,
      problems: ['NO_ACCESS', 'NO_PERM', 'FUNDS', 'QUOTA', 'PRICE', 'IDEMP'],
    }),
    body(paidFolderInput),
    once,
    async (c) => c.json(await payForSharedFolder(c.var.ctx, c.req.valid('json'))),
  )
  .post(
    '/folders/unshare',
    describe({
      summary: 'Stop sharing one’s own folder, or leave a folder shared with the caller by name',
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
