import { Hono } from 'hono';
import { z } from 'zod';
import {
  commentAnswer,
  commentChange,
  commentInput,
  gradeAnswer,
  gradeInput,
  mentionableAnswer,
  notesAnswer,
  notesInput,
  outcomeAnswer,
  outcomeChange,
  outcomeEditsInput,
  outcomeInput,
  outcomesAnswer,
  revealedSummary,
  summaryAnswer,
  summaryInput,
} from '#shared/meetings/annotation-inputs.ts';
import { body, noParameters } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { addComment, changeComment, deleteComment } from './comments.ts';
import { setGrade } from './grades.ts';
import { mentionable } from './mentions.ts';
import { saveNotes, viewNotes } from './notes.ts';
import { addOutcome, changeOutcome, changeOutcomes, deleteOutcome } from './outcomes.ts';
import { reveal } from './reveal.ts';
import { saveOwnSummary, viewOwnSummary } from './summary.ts';

const where =
  'Times are seconds. `anchor` names the first and the last character by their ids in the live transcript; without it, the server takes the words said between `start` and `end`, and keeps them as `quote`.';

/** Request limit in bytes; notes are long texts. */
export const notesLimit = 1024 * 1024;

export const annotationRoutes = new Hono<Env>()
  .get(
    '/meetings/:id/notes',
    describe({
      summary: 'Get the caller’s own notes on a meeting as a JSON document; nobody else can read them',
      tag: 'Notes',
      answer: notesAnswer,
      problems: ['NO_ACCESS'],
    }),
    async (c) => c.json(await viewNotes(c.var.ctx, c.req.param())),
  )
  .put(
    '/meetings/:id/notes',
    describe({
      summary: 'Replace the caller’s own notes on a meeting; unchanged parts are not touched',
      more: '`text` is the JSON of a document: paragraphs, headings, lists, tasks, quotes and code.',
      tag: 'Notes',
      answer: notesAnswer,
      problems: ['NO_ACCESS', 'IDEMP'],
    }),
    body(notesInput, { limit: notesLimit }),
    once,
    async (c) => c.json(await saveNotes(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .get(
    '/meetings/:id/summary/own',
    describe({
      summary: 'List the caller’s private points of the summary; the shared ones are `doc.summary` of the meeting',
      tag: 'Summary',
      answer: summaryAnswer,
      problems: ['NO_ACCESS'],
    }),
    async (c) => c.json(await viewOwnSummary(c.var.ctx, c.req.param())),
  )
  .put(
    '/meetings/:id/summary/own',
    describe({
      summary: 'Replace the caller’s private points of the summary; unchanged points are not touched',
      more: 'Points are sorted by `order`; a point without it follows the previous one.',
      tag: 'Summary',
      answer: summaryAnswer,
      problems: ['NO_ACCESS', 'IDEMP'],
    }),
    body(summaryInput, { limit: notesLimit }),
    once,
    async (c) => c.json(await saveOwnSummary(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/outcomes',
    describe({
      summary: 'Add an outcome to a range of the recording; `private` makes it visible to its author only',
      more: where,
      tag: 'Outcomes',
      answer: outcomeAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'IDEMP'],
    }),
    body(outcomeInput),
    once,
    async (c) => c.json(await addOutcome(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/outcomes/update',
    describe({
      summary: 'Change fields of several outcomes, all or none',
      more: `Each edit names the \`id\` of an outcome, a \`field\` (type, text, children, grade, start, end, quote or anchor) and its \`value\`, and is checked on its own; start and end go together. With \`rev\`, an outcome that was changed since it was read is a conflict. \`version\` is the version of the meeting that was read. Private and shared outcomes need separate requests. ${where}`,
      tag: 'Outcomes',
      answer: outcomesAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'CONFLICT', 'IDEMP'],
    }),
    body(outcomeEditsInput),
    once,
    async (c) => c.json(await changeOutcomes(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/outcomes/:itemId/update',
    describe({
      summary: 'Change fields of an outcome; a new type removes the marks below the old one',
      more: `\`mark\` sets one child, or removes it with \`on: false\`; \`children\` replaces all of them. \`textWas\` is the text as it was read: with it, what others have written since stays. ${where}`,
      tag: 'Outcomes',
      answer: outcomeAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'IDEMP'],
    }),
    body(outcomeChange),
    once,
    async (c) => c.json(await changeOutcome(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() })),
  )
  .delete(
    '/meetings/:id/outcomes/:itemId',
    describe({
      summary: 'Delete an outcome',
      tag: 'Outcomes',
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'IDEMP'],
    }),
    once,
    async (c) => {
      await deleteOutcome(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/outcomes/:itemId/reveal/:type',
    describe({
      summary: 'Make a private annotation visible to everybody; `type` is outcome, comment or summary',
      tag: 'Outcomes',
      answer: z.union([outcomeAnswer, commentAnswer, revealedSummary]),
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'INVALID', 'IDEMP'],
    }),
    once,
    async (c) => c.json(await reveal(c.var.ctx, c.req.param())),
  )
  .get(
    '/meetings/:id/mentionable',
    describe({
      summary: 'List the people whom a comment of the caller can mention, without their addresses',
      more: 'The owner, people the recording is shared with by name who have opened it, and members of the caller’s own teams it is shared with. A mention also notifies others who may read it, such as people who are on its page.',
      tag: 'Comments',
      answer: mentionableAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'INVALID'],
    }),
    noParameters,
    async (c) => c.json(await mentionable(c.var.ctx, c.req.param())),
  )
  .post(
    '/meetings/:id/comments',
    describe({
      summary: 'Comment on a range of the recording, or reply to a comment',
      more: `${where} \`text\` is a small JSON document or plain text.`,
      tag: 'Comments',
      answer: commentAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'IDEMP'],
    }),
    body(commentInput),
    once,
    async (c) => {
      const { id: itemId, ...comment } = c.req.valid('json');
      return c.json(await addComment(c.var.ctx, { ...comment, itemId, id: c.req.param('id') }));
    },
  )
  .post(
    '/meetings/:id/comments/:itemId/update',
    describe({
      summary: 'Edit one’s own comment, resolve a comment, or put it on other words',
      more: `A comment is moved by its author and by people who may write; its replies go with it. ${where}`,
      tag: 'Comments',
      answer: commentAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'IDEMP'],
    }),
    body(commentChange),
    once,
    async (c) => c.json(await changeComment(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() })),
  )
  .delete(
    '/meetings/:id/comments/:itemId',
    describe({
      summary: 'Delete a comment; one with replies keeps its place without author and text, and is returned',
      tag: 'Comments',
      answer: commentAnswer,
      also: { 204: 'Nothing is left of it' },
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'IDEMP'],
    }),
    once,
    async (c) => {
      const remaining = await deleteComment(c.var.ctx, c.req.param());
      return remaining ? c.json(remaining) : c.body(null, 204);
    },
  )
  .put(
    '/meetings/:id/grades/:type',
    describe({
      summary: 'Grade a type in an assessment, with or without passages; `id` is that of a layer',
      more: 'Fields that are left out stay as they are. `grade: null` leaves the grade to the passages: the lower median of theirs. `wordsWas` is `words` as it was read: with it, what others have written since stays.',
      tag: 'Outcomes',
      answer: gradeAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'INVALID', 'IDEMP'],
    }),
    body(gradeInput),
    once,
    async (c) => c.json(await setGrade(c.var.ctx, { change: c.req.valid('json'), ...c.req.param() })),
  );
