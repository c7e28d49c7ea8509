import { Hono } from 'hono';
import { z } from 'zod';
import {
  commentAnswer,
  commentChange,
  commentInput,
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
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { addComment, changeComment, deleteComment } from './comments.ts';
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
      summary: 'One’s own notes on a meeting, which nobody else reads: a document as JSON',
      tag: 'Notes',
      answer: notesAnswer,
      problems: ['NO_ACCESS'],
    }),
    async (c) => c.json(await viewNotes(c.var.ctx, c.req.param())),
  )
  .put(
    '/meetings/:id/notes',
    describe({
      summary: 'Make one’s own notes on a meeting these; what stays as it is is not touched',
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
      summary: 'The points of the summary one keeps to oneself; those of all are `doc.summary` of the meeting',
      tag: 'Summary',
      answer: summaryAnswer,
      problems: ['NO_ACCESS'],
    }),
    async (c) => c.json(await viewOwnSummary(c.var.ctx, c.req.param())),
  )
  .put(
    '/meetings/:id/summary/own',
    describe({
      summary: 'Make the points of the summary one keeps to oneself these; what stays as it is is not touched',
      more: 'They stand by their `order`; one without it follows the one before it.',
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
      summary: 'Tag a stretch of the recording with an outcome; `private` keeps it to oneself',
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
      summary: 'Change fields of many outcomes at once: all of them or none',
      more: `Each edit names the \`id\` of an outcome, a \`field\` (type, text, children, grade, start, end, quote or anchor) and its \`value\`, and is judged as if it came alone; start and end go together. With \`rev\`, a conflict is answered where the outcome was changed since it was read. \`version\` is the one the meeting was read at. One’s own outcomes and those of all are changed by requests of their own. ${where}`,
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
      summary: 'Change some fields of an outcome; with another type, what was marked below the old one goes',
      more: `\`mark\` sets one of its children, or with \`on\` false takes it away, and leaves the others as they are; \`children\` replaces all of them. With \`textWas\`, the text as it was read, what others have written in it since stays. ${where}`,
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
      summary: 'Show everybody what one has kept to oneself; `type` is outcome, comment or summary',
      tag: 'Outcomes',
      answer: z.union([outcomeAnswer, commentAnswer, revealedSummary]),
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'INVALID', 'IDEMP'],
    }),
    once,
    async (c) => c.json(await reveal(c.var.ctx, c.req.param())),
  )
  .post(
    '/meetings/:id/comments',
    describe({
      summary: 'Say something about a stretch of the recording, or answer what somebody said',
      more: `${where} \`text\` is a small document as JSON, or plain words.`,
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
      summary: 'Put one’s own comment otherwise, or settle what it is about',
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
      summary: 'Delete a comment; of one that has been answered only author and words go, and the rest is answered',
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
  );
