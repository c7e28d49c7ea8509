import { Hono } from 'hono';
import { z } from 'zod';
import {
  analysisView,
  assistantInput,
  assistantsView,
  chatQuery,
  chatView,
  consentInput,
  consents,
  questionInput,
} from '#shared/ai/views.ts';
import { decideDraftInput, draftsView } from '#shared/ai/drafts.ts';
import { verdictView } from '#shared/ai/verdicts.ts';
import { evaluationAnswer } from '#shared/reviews/evaluation.ts';
import { acceptInput, detectInput, detectionView, rejectInput } from '#shared/ai/suggestions.ts';
import { outcomeAnswer } from '#shared/meetings/annotation-inputs.ts';
import { body, noParameters, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { fromHome } from '../http/home.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { analyse, stopAnalysis, viewAnalysis } from './analysis.ts';
import { askQuestion, deleteChat, listAssistants, stopAnswer, viewChat } from './chat.ts';
import { setConsent } from './consent.ts';
import { explainGrade, stopVerdict, viewVerdict } from './verdicts.ts';
import { detect, stopDetection, viewDetection } from './detect.ts';
import { decideDraft, draft, stopDraft, viewDrafts } from './drafts.ts';
import { evaluate } from './evaluation.ts';
import { acceptSuggestion, rejectSuggestion, reopenSuggestion } from './suggestions.ts';

const tag = 'Chat';

export const aiRoutes = new Hono<Env>()
  .get(
    '/ai',
    describe({
      summary: 'List the language models that answer questions here, and where each is',
      more: '`local`: nothing is sent beyond the machine of this server.',
      tag,
      answer: assistantsView,
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => {
      const { ctx } = c.var;
      const here = fromHome(ctx.config, c.env.incoming?.socket.remoteAddress, (name) => c.req.header(name));
      return c.json(await listAssistants(ctx, { here }));
    },
  )
  .get(
    '/meetings/:id/chat',
    describe({
      summary: 'Get the caller’s own chat about a meeting; nobody else can read it',
      more: '`version` counts the changes of this chat; with `after`, the answer has the messages that changed since that version. Each part of an answer has the quotes that stand in the transcript, and `struck`, the number of those that do not. A part without any is not proved. `enough: false`: the transcript does not answer the question. `costs`: the caller’s own way to pay and those of teams that pay for them.',
      tag,
      answer: chatView,
      problems: ['INVALID', 'NO_ACCESS'],
    }),
    query(chatQuery),
    async (c) => c.json(await viewChat(c.var.ctx, { ...c.req.valid('query'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/chat',
    describe({
      summary: 'Ask a question about a meeting; the answer follows in the chat',
      more: 'One question at a time. `annotations`: the model also gets the annotations that the caller reads, without the names of their authors; quotes still come from the transcript alone. `cost`: the price or one of the `costs` that `GET` shows, which also tells who pays; it is taken when the answer has a quote that stands in the transcript.',
      tag,
      answer: z.object({ id: z.string(), version: z.number().int() }),
      problems: ['NO_ACCESS', 'CONSENT', 'FUNDS', 'QUOTA', 'CONFLICT', 'PRICE', 'IDEMP', 'RATE', 'NO_MODEL'],
    }),
    body(questionInput),
    once,
    async (c) => c.json(await askQuestion(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/chat/stop',
    describe({
      summary: 'Stop the answer that is being written; what was checked of it stays',
      tag,
      problems: ['NO_ACCESS'],
    }),
    async (c) => {
      await stopAnswer(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .delete(
    '/meetings/:id/chat',
    describe({ summary: 'Delete the caller’s chat about a meeting', tag, problems: ['NO_ACCESS'] }),
    async (c) => {
      await deleteChat(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .delete(
    '/meetings/:id/chat/:messageId',
    describe({
      summary: 'Delete a question of the caller’s chat with its answer',
      tag,
      problems: ['NO_ACCESS', 'NOT_FOUND'],
    }),
    async (c) => {
      await deleteChat(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .get(
    '/meetings/:id/analysis',
    describe({
      summary: 'Get the analysis of a meeting, which all its readers share, and the one in the making',
      more: '`older`: more than two of a hundred words of the transcript have changed since. A quote that no longer stands in the transcript is left out and counted in `struck`. Its words are `doc.aiQa.analysis.answer` of the meeting, too.',
      tag,
      answer: analysisView,
      problems: ['INVALID', 'NO_ACCESS'],
    }),
    noParameters,
    async (c) => c.json(await viewAnalysis(c.var.ctx, c.req.param())),
  )
  .post(
    '/meetings/:id/analysis',
    describe({
      summary: 'Have a language model tell what a meeting is about, what was decided and what is left open',
      more: 'One analysis of a meeting at a time. It takes the place of the last one, and the version of the meeting rises. `cost`: the price or one of the `costs` that `GET` shows, which also tells who pays; it is taken when a point of it has a quote that stands in the transcript.',
      tag,
      answer: z.object({ id: z.string() }),
      problems: [
        ...([
          'NO_ACCESS',
          'NO_PERM',
          'CLOSED',
          'CONSENT',
          'FUNDS',
          'QUOTA',
          'CONFLICT',
          'PRICE',
          'IDEMP',
          'RATE',
        ] as const),
        'NO_MODEL',
      ],
    }),
    body(assistantInput),
    once,
    async (c) => c.json(await analyse(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/analysis/stop',
    describe({
      summary: 'Stop the analysis that is being made; the stored one stays',
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED'],
    }),
    async (c) => {
      await stopAnalysis(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .get(
    '/meetings/:id/drafts/:kind',
    describe({
      summary: 'Get the caller’s own draft of a summary or of chapters; nobody else can read it',
      more: '`kind`: `summary` or `chapters`. A draft has the quotes that stand in the transcript now; one without any is left out. What the caller takes becomes a point of their own summary or a chapter under the same id.',
      tag,
      answer: draftsView,
      problems: ['INVALID', 'NO_ACCESS', 'NO_PERM', 'NOT_FOUND'],
    }),
    noParameters,
    async (c) => c.json(await viewDrafts(c.var.ctx, c.req.param())),
  )
  .post(
    '/meetings/:id/drafts/:kind',
    describe({
      summary: 'Have a language model draft a summary or chapters of a meeting',
      more: 'One draft of a kind at a time. It takes the place of what waits for a decision in the last one. Chapters take the permission to write. `cost`: the price or one of the `costs` that `GET` shows; it is taken when a point or chapter has a quote that stands in the transcript.',
      tag,
      answer: z.object({ id: z.string() }),
      problems: [
        ...(['NO_ACCESS', 'NO_PERM', 'CLOSED', 'NOT_FOUND', 'CONSENT', 'FUNDS', 'QUOTA', 'CONFLICT'] as const),
        ...(['PRICE', 'IDEMP', 'RATE', 'NO_MODEL'] as const),
      ],
    }),
    body(assistantInput),
    once,
    async (c) => c.json(await draft(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() })),
  )
  .post(
    '/meetings/:id/drafts/:kind/stop',
    describe({
      summary: 'Stop the draft that is being written',
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'NOT_FOUND'],
    }),
    async (c) => {
      await stopDraft(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .put(
    '/meetings/:id/drafts/:kind/:draftId',
    describe({
      summary: 'Tell what became of a point or chapter of the caller’s draft',
      more: '`accepted` or `edited`: the caller wrote it under its id, in the summary of their own or the contents. `rejected`: it is not drafted again. `open`: it waits again.',
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'NOT_FOUND'],
    }),
    body(decideDraftInput),
    async (c) => {
      await decideDraft(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() });
      return c.body(null, 204);
    },
  )
  .get(
    '/meetings/:id/grades/:type/explanation',
    describe({
      summary: 'Get the grade that a language model explained to the caller, for a competency of an assessment',
      more: 'By the id of a layer with grades; nobody else reads it. Before a blind review opens, its supervisors alone may ask. A reason whose words were deleted from the transcript is left out; without any there is no grade.',
      tag: 'Outcomes',
      answer: verdictView,
      problems: ['INVALID', 'NO_ACCESS', 'NO_PERM', 'NOT_FOUND'],
    }),
    noParameters,
    async (c) => c.json(await viewVerdict(c.var.ctx, c.req.param())),
  )
  .post(
    '/meetings/:id/grades/:type/explanation',
    describe({
      summary: 'Have a language model explain which grade it would give for a competency of an assessment',
      more: 'One explanation of a person in a meeting at a time. It changes nothing in the assessment. `cost`: the price or one of the `costs` that `GET` shows; it is taken when there is a grade with words from the transcript.',
      tag: 'Outcomes',
      answer: z.object({ id: z.string() }),
      problems: [
        ...(['NO_ACCESS', 'NO_PERM', 'NOT_FOUND', 'CONSENT', 'FUNDS', 'QUOTA', 'CONFLICT', 'PRICE', 'IDEMP'] as const),
        ...(['RATE', 'NO_MODEL'] as const),
      ],
    }),
    body(assistantInput),
    once,
    async (c) => c.json(await explainGrade(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() })),
  )
  .post(
    '/meetings/:id/grades/:type/explanation/stop',
    describe({
      summary: 'Stop the explanation of a grade',
      tag: 'Outcomes',
      problems: ['INVALID', 'NO_ACCESS', 'NO_PERM', 'NOT_FOUND'],
    }),
    async (c) => {
      await stopVerdict(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .get(
    '/meetings/:id/eval',
    describe({
      summary: 'Count the outcomes of a meeting by type, with their grades',
      more: 'By a layer’s id: those of all assessments of its review that the caller reads, with the grades of their sheets. `machine`: suggestions that wait, for callers who decide on them; in a review all suggestions, for callers who read the machine’s layer. Details of outcomes count as types of their own.',
      tag: 'Outcomes',
      open: true,
      answer: evaluationAnswer,
      problems: ['INVALID', 'NO_ACCESS'],
    }),
    noParameters,
    async (c) => c.json(await evaluate(c.var.ctx, c.req.param())),
  )
  .get(
    '/meetings/:id/outcomes/autodetect',
    describe({
      summary: 'Get the caller’s last search for outcomes in a meeting, and the suggestions that wait for a decision',
      more: 'By a layer’s id: the suggestions in the machine’s layer of its review on which the caller has not decided for this layer; NO_PERM for callers who do not read that layer, as blind reviewers before the review opens. A suggestion is shaped as an outcome with `automatic` and a `machine` as its author. It stands in no export, count or search, and is no part of the meeting, until a person accepts it. `quote` is what the transcript says there now.',
      tag: 'Outcomes',
      answer: detectionView,
      problems: ['INVALID', 'NO_ACCESS', 'NO_PERM'],
    }),
    noParameters,
    async (c) => c.json(await viewDetection(c.var.ctx, c.req.param())),
  )
  .post(
    '/meetings/:id/outcomes/autodetect',
    describe({
      summary: 'Have a language model suggest outcomes of a meeting',
      more: 'By a layer’s id: of the machine’s layer of its review, for callers who read that. One search of a person in a meeting at a time. What does not stand in the transcript, stands in it as an outcome already, or was suggested before is left out. `cost`: the price or one of the `costs` that `GET` shows, which also tells who pays; it is taken when there is a new suggestion.',
      tag: 'Outcomes',
      answer: z.object({ id: z.string() }),
      problems: [
        ...(['NO_ACCESS', 'NO_PERM', 'CLOSED', 'CONSENT', 'FUNDS', 'QUOTA', 'CONFLICT', 'PRICE', 'IDEMP'] as const),
        ...(['RATE', 'NO_MODEL'] as const),
      ],
    }),
    body(detectInput),
    once,
    async (c) => c.json(await detect(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/outcomes/autodetect/stop',
    describe({
      summary: 'Stop the caller’s search for outcomes',
      more: 'By a layer’s id: the one that was asked for by that id.',
      tag: 'Outcomes',
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED'],
    }),
    async (c) => {
      await stopDetection(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/outcomes/:itemId/accept',
    describe({
      summary: 'Accept a suggested outcome, which becomes the caller’s',
      more: 'By a layer’s id: the outcome is added to that layer, and others decide for themselves. The new outcome has `wasAutomatic`. CONFLICT: somebody decided already, or its words are gone.',
      tag: 'Outcomes',
      answer: outcomeAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'NOT_FOUND', 'CONFLICT', 'IDEMP'],
    }),
    body(acceptInput),
    once,
    async (c) => c.json(await acceptSuggestion(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() })),
  )
  .post(
    '/meetings/:id/outcomes/:itemId/reject',
    describe({
      summary: 'Reject a suggested outcome, which is not suggested again',
      tag: 'Outcomes',
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'NOT_FOUND', 'CONFLICT', 'IDEMP'],
    }),
    body(rejectInput),
    once,
    async (c) => {
      await rejectSuggestion(c.var.ctx, { ...c.req.valid('json'), ...c.req.param() });
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/outcomes/:itemId/reopen',
    describe({
      summary: 'Take back the decision on a suggested outcome; the outcome that it became is deleted',
      tag: 'Outcomes',
      problems: ['NO_ACCESS', 'NO_PERM', 'CLOSED', 'NOT_FOUND', 'CONFLICT'],
    }),
    async (c) => {
      await reopenSuggestion(c.var.ctx, c.req.param());
      return c.body(null, 204);
    },
  )
  .put(
    '/meetings/:id/ai',
    describe({
      summary:
        'Set where a meeting may be sent for answers: nowhere, to the machine of this server, or to a named host',
      more: '`all`: also the owner’s other meetings that have no answer of their own. Answers that are being written and are not covered any more stop.',
      tag,
      answer: z.object({ consent: z.enum(consents), host: z.string().nullable() }),
      problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'],
    }),
    body(consentInput),
    once,
    async (c) => c.json(await setConsent(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  );
