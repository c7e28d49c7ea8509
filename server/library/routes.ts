import { Readable } from 'node:stream';
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
import { actionsAnswer, mergedInput, mostUndone, undoInput, undoneAnswer } from '#shared/actions.ts';
import { mostTagged, replaceTagsAnswer, replaceTagsInput, tagsAnswer, tagsQuery } from '#shared/tags.ts';
import { findsAnswer, findsQuery, fixAnswer, fixInput } from '#shared/finds.ts';
import { searchLimits } from '#shared/library.ts';
import { renameSearchInput, searchCountsAnswer, searchesAnswer, searchInput, searchView } from '#shared/searches.ts';
import { deletedAnswer, deletedQuery, selectionQuery } from '#shared/meetings/meeting.ts';
import { body, noParameters, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { listActions, undoAction } from './actions.ts';
import { findsCsv, mostPlacesInFile } from './finds-csv.ts';
import { listFinds } from './finds.ts';
import { fixPlaces } from './fix.ts';
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
import { countSearches, deleteSearch, listSearches, lookAtSearch, renameSearch, saveSearch } from './saved.ts';
import { noteMerge } from './speakers.ts';
import { changeTags, listTags } from './tags.ts';
import { deleteMeetings, moveMeeting, moveMeetings, restoreMeetings } from './many.ts';

const tag = 'Library';
const aboutPaths =
  'A path consists of folder names from the top, such as `/Interviews/2026`; `/` is the library itself. `sid` names a folder somebody shares.';
const aboutMany = 'Each is handled on its own: `failed` lists those left unchanged, with the reason.';

/** Bytes of a list of places, each with the words around it. */
export const fixLimit = 2 * 1024 * 1024;

/** Bytes of a merge of speakers with its paragraphs. */
export const mergedLimit = 1024 * 1024;

/** Routes for folders, and for actions on many recordings at once. */
export const libraryRoutes = new Hono<Env>()
  .get(
    '/finds',
    describe({
      summary: 'List the places of words, or of graded outcomes, in all recordings of a selection',
      more: 'The parameters of the list of meetings. With a `query`, a place for each time its words are said or written; without one, `filters` needs an `outcome`, and each place is such an outcome. 50 at once; `next` is the `after` of the next page. With `atLeast`, `total` counts the recordings of this page alone: most recordings have these words in a row, and each page is a search of its own.',
      tag,
      answer: findsAnswer,
      problems: ['INVALID', 'NO_ACCESS', 'RATE'],
    }),
    query(findsQuery),
    async (c) => c.json(await listFinds(c.var.ctx, c.req.valid('query'))),
  )
  .get(
    '/finds.csv',
    describe({
      summary: 'Download the places of words, or of graded outcomes, as CSV',
      more: `The parameters of the list of places. A line a place, with the words around it: the first ${mostPlacesInFile}, and a line that says so where there are more.`,
      tag,
      text: 'text/csv',
      problems: ['INVALID', 'NO_ACCESS', 'RATE'],
    }),
    query(selectionQuery),
    async (c) => {
      const lines = await findsCsv(c.var.ctx, c.req.valid('query'));
      c.header('Content-Type', 'text/csv; charset=utf-8');
      c.header('Content-Disposition', 'attachment; filename="places.csv"');
      return c.body(Readable.toWeb(Readable.from(lines, { objectMode: false })) as ReadableStream);
    },
  )
  .post(
    '/finds/fix',
    describe({
      summary: 'Replace words at many places that were found',
      more: 'One edit a recording, of those `places` that still are as the list gave them: the words, and those around them. Times of words and annotations stay. `failed` names recordings in which places were left as they are; `action` undoes the rest together: sent with the places of further requests, those of all of them.',
      tag,
      answer: fixAnswer,
      problems: ['NO_ACCESS', 'IDEMP'],
    }),
    body(fixInput, { limit: fixLimit }),
    once,
    async (c) => c.json(await fixPlaces(c.var.ctx, c.req.valid('json'))),
  )
  .get(
    '/searches',
    describe({
      summary: 'List the caller’s saved searches, by name',
      more: 'Each is a list of meetings: its `query`, `filters` and `sort`, in the folder of `place`. A search whose folder the caller no longer has is without a place.',
      tag,
      answer: searchesAnswer,
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json(await listSearches(c.var.ctx)),
  )
  .post(
    '/searches',
    describe({
      summary: 'Save a search of the library under a name',
      more: `With a query or a filter. A person has ${searchLimits.most} at most, each with another name.`,
      tag,
      answer: searchView,
      problems: ['NO_ACCESS', 'IDEMP', 'RATE'],
    }),
    body(searchInput),
    once,
    async (c) => c.json(await saveSearch(c.var.ctx, c.req.valid('json'))),
  )
  .get(
    '/searches/counts',
    describe({
      summary: 'Count the new results of the caller’s saved searches',
      more: 'Recordings that were not among its results when the caller looked at a search last. What is found by its title alone because it is shared with everyone is not counted, nor is a search whose folder the caller no longer has. A search that cannot be counted in time is left out.',
      tag,
      answer: searchCountsAnswer,
      problems: ['INVALID', 'RATE'],
    }),
    noParameters,
    async (c) => c.json(await countSearches(c.var.ctx)),
  )
  .put(
    '/searches/:id',
    describe({ summary: 'Rename a saved search', tag, answer: searchView, problems: ['NO_ACCESS'] }),
    body(renameSearchInput),
    async (c) => c.json(await renameSearch(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/searches/:id/look',
    describe({
      summary: 'Note that the caller looks at a saved search: its results are no longer new',
      tag,
      problems: ['NO_ACCESS', 'RATE'],
    }),
    async (c) => {
      await lookAtSearch(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .delete('/searches/:id', describe({ summary: 'Delete a saved search', tag, problems: ['NO_ACCESS'] }), async (c) => {
    await deleteSearch(c.var.ctx, { id: c.req.param('id') });
    return c.body(null, 204);
  })
  .get(
    '/tags',
    describe({
      summary: 'List the tags of all recordings that the caller can read, in alphabetical order',
      more: '`like` is a part of a tag, in any case.',
      tag,
      answer: tagsAnswer,
      problems: ['INVALID'],
    }),
    query(tagsQuery),
    async (c) => c.json(await listTags(c.var.ctx, c.req.valid('query'))),
  )
  .post(
    '/tags/replace',
    describe({
      summary: 'Rename, merge or remove tags wherever the caller may write',
      more: `One edit a recording, ${mostTagged} recordings at once: while the answer has a \`next\`, send the same with \`after\` and \`action\` of it. \`failed\` names recordings whose tags were left as they are; \`action\` undoes the rest together.`,
      tag,
      answer: replaceTagsAnswer,
      problems: ['NO_ACCESS', 'RATE', 'IDEMP'],
    }),
    body(replaceTagsInput),
    once,
    async (c) => c.json(await changeTags(c.var.ctx, c.req.valid('json'))),
  )
  .get(
    '/actions',
    describe({
      summary: 'List what the caller did in the last 30 days and can undo, newest first',
      tag,
      answer: actionsAnswer,
      problems: ['INVALID'],
    }),
    query(deletedQuery),
    async (c) => c.json(await listActions(c.var.ctx, c.req.valid('query'))),
  )
  .post(
    '/actions/speakers',
    describe({
      summary: 'Note that the caller has merged two speakers while editing, so that it can be undone for 30 days',
      more: 'Nothing is changed by it. Undoing gives the `segments` that still are of the other speaker back to this one.',
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'RATE', 'IDEMP'],
    }),
    body(mergedInput, { limit: mergedLimit }),
    once,
    async (c) => {
      await noteMerge(c.var.ctx, c.req.valid('json'));
      return c.body(null, 204);
    },
  )
  .post(
    '/actions/:id/undo',
    describe({
      summary: 'Undo something the caller did in the last 30 days',
      more: `As far as everything is as the action left it, and the caller may still change it: \`failed\` names the rest, which can be undone later. Where nothing could be undone, the answer is the reason. Words that were replaced, and tags, are changed back in ${mostUndone} recordings at once: while the answer has a \`next\`, send it as \`after\`.`,
      tag,
      answer: undoneAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'CONFLICT', 'FUNDS', 'RATE', 'IDEMP'],
    }),
    body(undoInput, { optional: true }),
    once,
    async (c) => c.json(await undoAction(c.var.ctx, { id: c.req.param('id'), ...c.req.valid('json') })),
  )
  .get(
    '/folders',
    describe({
      summary: 'List the caller’s folders, each after its parent',
      tag,
      answer: foldersAnswer,
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json(await listFolders(c.var.ctx)),
  )
  .post(
    '/folders',
    describe({
      summary: 'Create a folder; its parent must exist',
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
      summary: 'List a folder’s ancestors from the top, ending with the folder itself',
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
      summary: 'Rename a folder',
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
      summary: 'Move a folder with its content into another folder; never into itself',
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
      summary: 'Delete a folder with its content; it can be restored for 30 days',
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
      summary: 'Restore a deleted folder with everything that was deleted with it',
      more: 'It returns to its parent, or to the top if that is gone; if the name is taken by now, it gets a number.',
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
      summary: 'Move one’s own meeting into a folder',
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
      summary: 'Move several of one’s own meetings into a folder',
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
      summary: 'Delete several meetings; they can be restored for 30 days',
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
      summary: 'Restore several deleted meetings',
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
      summary: 'List the caller’s deleted meetings and folders that can be restored, newest first',
      more: 'What was deleted with a folder is restored with it (`POST /api/folders/restore`), a single meeting with `POST /api/meetings/restore`.',
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
      summary: 'Delete permanently what is deleted already; this cannot be undone',
      more: aboutMany,
      tag,
      answer: manyAnswer,
      problems: ['IDEMP'],
    }),
    body(meetingsInput),
    once,
    async (c) => c.json(await removeDeleted(c.var.ctx, c.req.valid('json'))),
  );
