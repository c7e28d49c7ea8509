import { Hono, type Context } from 'hono';
import { z } from 'zod';
import {
  closeInput,
  closingAnswer,
  copyAnswer,
  copyInput,
  facetsQuery,
  meetingAboutView,
  meetingsAnswer,
  meetingsQuery,
  meetingView,
  renameInput,
} from '#shared/meetings/meeting.ts';
import { facetsView } from '#shared/filters.ts';
import { editInput, editsInput, putInput, writtenView } from '#shared/meetings/writing.ts';
import { body, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { hasIt } from '../http/etag.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { aboutMeeting } from './about.ts';
import { closeMeeting, reopenMeeting } from '../sharing/close.ts';
import { copyMeeting } from './clone.ts';
import { editMeeting } from './edit.ts';
import { listFacets } from '../library/aggs.ts';
import { listMeetings } from '../library/list.ts';
import { putMeeting } from './put.ts';
import { renameMeeting } from './rename.ts';
import { deleteMeeting, restoreMeeting } from '../library/trash.ts';
import { viewMeeting } from './view.ts';
import type { Written } from './write.ts';

const tag = 'Meetings';

/** Request limit in bytes; a transcript of three hours with times takes three million. */
export const putLimit = 8 * 1024 * 1024;

const written = (c: Context<Env>, { version, etag }: Written) => {
  c.header('ETag', etag);
  return c.json({ version });
};

export const meetingRoutes = new Hono<Env>()
  .get(
    '/meetings',
    describe({
      summary: 'List the caller’s meetings and those shared with them by name; `sort` with a minus is descending',
      more: 'Without `folder`, all meetings. With `folder`, such as `/` or `/Interviews/2026`, its meetings and folders; with `query` as well, everything below that folder that has the words: in its title, or in what was said or written. `"…"` finds words in a row, `-word` leaves recordings out. Where even the rarest of such words is in over half of the caller’s recordings, these are read in the order of the list until the page is full: then `total` is one more than the pages so far have, with `atLeast`, and each page is a search of its own; those far back are counted. `filters` is one JSON object, such as `{"tag": ["budget", "plan"], "outcome": {"type": "presence", "below": 2}}`: any of the values of a filter, and all filters. What others share is at the top, and a `query` there also finds, by the title, what they share with everyone.',
      tag,
      answer: meetingsAnswer,
      problems: ['INVALID', 'NO_ACCESS', 'RATE'],
    }),
    query(meetingsQuery),
    async (c) => c.json(await listMeetings(c.var.ctx, c.req.valid('query'))),
  )
  .get(
    '/aggs',
    describe({
      summary: 'Count what the list of meetings could be filtered by',
      more: 'The same parameters as the list. A count leaves out the choice in its own facet. With `atMost`, counts are of recordings that have all the words, in a row or not: words in a row that most of the caller’s recordings have are not looked for in all of them. Each facet has its 50 most frequent values; `of` and `like` find others.',
      tag,
      answer: facetsView,
      problems: ['INVALID', 'NO_ACCESS', 'RATE'],
    }),
    query(facetsQuery),
    async (c) => c.json(await listFacets(c.var.ctx, c.req.valid('query'))),
  )
  .get(
    '/meetings/:id',
    describe({
      summary: 'Get a meeting with its whole document as stored at this moment; times in seconds',
      tag,
      open: true,
      answer: meetingView,
      also: { 304: 'The same as before' },
      problems: ['NO_ACCESS'],
    }),
    async (c) => {
      const knows = (etag: string) => hasIt(c.req.header('if-none-match'), etag);
      const { etag, json } = await viewMeeting(c.var.ctx, { id: c.req.param('id'), knows });
      c.header('ETag', etag);
      c.header('Cache-Control', 'private, no-cache');
      if (!json) return c.body(null, 304);
      c.header('Content-Type', 'application/json');
      return c.body(json);
    },
  )
  .put(
    '/meetings/:id',
    describe({
      summary: 'Set values at paths of the document, based on a version',
      more: 'Paths are `doc.title`, `doc.tags`, `doc.toc`, `doc.bookmarks`, `doc.highlights`, `doc.summary`, `doc.preferredOutcomesModel`, `doc.preferredOutcomesSchema`, `doc.chat_model_id`, `doc.transcript.speakers`, `doc.transcript.segments`, and fields such as `transcript.segments[3].speaker`, `transcript.segments[3].text` or `transcript.speakers[0].name`; places count from 0 in `version`. All are written or none. With an older version, only a path that was changed since is a conflict; in a list of segments, only a segment that the list changes too. Unchanged words keep their times, and words sent with times get them. `doc.chat_model_id` is one of the `models` of `GET /api/ai`, or null. A conflict returns the present version.',
      tag,
      answer: writtenView,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'CONFLICT', 'IDEMP'],
    }),
    body(putInput, { limit: putLimit, values: Infinity }),
    once,
    async (c) => written(c, await putMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/edit',
    describe({
      summary: 'Change the text of a segment',
      more: '`pos` is the segment’s id, or its place counted from 0 in `version`; `old` and `new` are its whole text. The edit applies if the segment still has the text `old`, and is live at once for everybody who has the document open; unchanged words keep their times. Otherwise nothing changes, and a conflict returns the present version.',
      tag,
      answer: writtenView,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'CONFLICT', 'IDEMP'],
    }),
    body(editInput),
    once,
    async (c) => {
      const { version, ...edit } = c.req.valid('json');
      return written(
        c,
        await editMeeting(c.var.ctx, 'POST /api/meetings/:id/edit', { id: c.req.param('id'), version, edits: [edit] }),
      );
    },
  )
  .post(
    '/meetings/:id/edits',
    describe({
      summary: 'Change the text of several segments of one version, all or none',
      more: 'Each works like `edit`; an edit may apply to the result of an earlier one in the list.',
      tag,
      answer: writtenView,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'CONFLICT', 'IDEMP'],
    }),
    body(editsInput),
    once,
    async (c) =>
      written(
        c,
        await editMeeting(c.var.ctx, 'POST /api/meetings/:id/edits', { ...c.req.valid('json'), id: c.req.param('id') }),
      ),
  )
  .delete(
    '/meetings/:id',
    describe({
      summary: 'Delete a meeting; it can be restored for 30 days, unless `force` deletes one that was never processed',
      more: '`?force` and `?force=1` are the same: a conflict for a meeting that is being processed; one that was processed is deleted as without it.',
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'INVALID', 'CONFLICT', 'IDEMP'],
    }),
    query(z.object({ force: z.enum(['', '0', '1']).optional() })),
    once,
    async (c) => {
      const { force } = c.req.valid('query');
      await deleteMeeting(c.var.ctx, { id: c.req.param('id'), force: force === '' || force === '1' });
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/restore',
    describe({ summary: 'Restore a deleted meeting', tag, problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'] }),
    once,
    async (c) => {
      await restoreMeeting(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/rename',
    describe({
      summary: 'Change a meeting’s title',
      tag,
      answer: writtenView,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'IDEMP'],
    }),
    body(renameInput),
    once,
    async (c) => written(c, await renameMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/close',
    describe({
      summary: 'Close the text: nobody changes it until it is reopened, and annotating continues',
      more: 'The version that is closed gets the name. Calls that would change the text answer CLOSED.',
      tag,
      answer: closingAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'CONFLICT', 'IDEMP'],
    }),
    body(closeInput),
    once,
    async (c) => c.json(await closeMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/reopen',
    describe({
      summary: 'Reopen a closed text',
      tag,
      answer: closingAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'],
    }),
    once,
    async (c) => c.json(await reopenMeeting(c.var.ctx, { id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/clone',
    describe({
      summary: 'Copy a meeting; the copy belongs to the caller and is shared with nobody',
      more: 'Words keep their times; media and shared annotations come along. History, private annotations, notes and sharing stay behind. A closed meeting is copied, too, and the copy is open. `isBackup` closes the text of the copy, and puts it into the folder of the original where that is the caller’s own; `removeMarkup` leaves out annotations, highlights, bookmarks and tags; `clearCommentAuthors` leaves out who wrote the comments. `title` names the copy, by default like the original. A conflict for a meeting that is not ready.',
      tag,
      answer: copyAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'FUNDS', 'CONFLICT', 'BIG', 'RATE', 'IDEMP'],
    }),
    body(copyInput),
    once,
    async (c) => c.json(await copyMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .get(
    '/meetings/:id/about',
    describe({
      summary: 'Get what belongs to a meeting besides its document: media, owner, and the caller’s permissions',
      tag,
      open: true,
      answer: meetingAboutView,
      problems: ['NO_ACCESS'],
    }),
    async (c) => c.json(await aboutMeeting(c.var.ctx, { id: c.req.param('id') })),
  );
