import { Hono, type Context } from 'hono';
import { z } from 'zod';
import { meetingAboutView, meetingsAnswer, meetingsQuery, meetingView, renameInput } from '#shared/meetings/meeting.ts';
import { editInput, editsInput, putInput, writtenView } from '#shared/meetings/writing.ts';
import { body, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { hasIt } from '../http/etag.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { aboutMeeting } from './about.ts';
import { editMeeting } from './edit.ts';
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
      summary: 'One’s own meetings and those shared with one by name; `sort` with a minus is descending',
      more: 'Without `folder` all of them. With one, such as `/` or `/Interviews/2026`, those that lie in it, and the folders in it; with a `query` too, whatever has its words in the title below that folder, at any depth. What others share lies at the top.',
      tag,
      answer: meetingsAnswer,
      problems: ['INVALID', 'NO_ACCESS'],
    }),
    query(meetingsQuery),
    async (c) => c.json(await listMeetings(c.var.ctx, c.req.valid('query'))),
  )
  .get(
    '/meetings/:id',
    describe({
      summary: 'A meeting with its whole document as it is stored at this moment; times in seconds',
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
      return c.body(new Uint8Array(json));
    },
  )
  .put(
    '/meetings/:id',
    describe({
      summary: 'Say what is to stand at some paths of the document, read at a version',
      more: 'Paths are `doc.title`, `doc.tags`, `doc.toc`, `doc.bookmarks`, `doc.highlights`, `doc.summary`, `doc.preferredOutcomesModel`, `doc.preferredOutcomesSchema`, `doc.transcript.speakers`, `doc.transcript.segments`, and fields such as `transcript.segments[3].speaker`, `transcript.segments[3].text` or `transcript.speakers[0].name`; places count from 0 in `version`. All of them are written or none. Where the version is an older one, a conflict is answered only if that very thing was changed since; of a list of segments, only if a segment was that the list changes, too. Words that stay keep their times, and words whose times are said get them. A conflict tells the version there is now.',
      tag,
      answer: writtenView,
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'IDEMP'],
    }),
    body(putInput, { limit: putLimit, values: Infinity }),
    once,
    async (c) => written(c, await putMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/edit',
    describe({
      summary: 'Give a segment of the transcript another text',
      more: '`pos` is the segment’s id, or its place counted from 0 in `version`; `old` and `new` are its whole text. The edit is made wherever `old` still stands by now, seen at once by whoever has the document open; words that stay keep their times. Where it does not stand any more, nothing happens and a conflict tells the version there is now.',
      tag,
      answer: writtenView,
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'IDEMP'],
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
      summary: 'Give many segments of one version another text: all of them or none',
      more: 'Each as with `edit`; one may be of the text that another one before it has made.',
      tag,
      answer: writtenView,
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'IDEMP'],
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
      summary:
        'Delete a meeting; for 30 days it can be brought back, unless `force` drops one that was never processed',
      more: '`?force` and `?force=1` are the same. Of one that is being processed it is a conflict, and changes nothing; whatever else there is goes as without it.',
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
    describe({ summary: 'Bring a deleted meeting back', tag, problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'] }),
    once,
    async (c) => {
      await restoreMeeting(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/rename',
    describe({
      summary: 'Give a meeting another title',
      tag,
      answer: writtenView,
      problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'],
    }),
    body(renameInput),
    once,
    async (c) => written(c, await renameMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .get(
    '/meetings/:id/about',
    describe({
      summary: 'What stands beside a meeting’s document: its recordings, its owner, and what the caller may do',
      tag,
      open: true,
      answer: meetingAboutView,
      problems: ['NO_ACCESS'],
    }),
    async (c) => c.json(await aboutMeeting(c.var.ctx, { id: c.req.param('id') })),
  );
