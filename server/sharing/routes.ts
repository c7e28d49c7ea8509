import { Hono } from 'hono';
import { aclInput, codeInput, requestAnswerInput, requestedView, sharedAnswer, sharingView } from '#shared/sharing.ts';
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { keepPass } from '../people/identify.ts';
import { giveCode, passSeconds } from './link.ts';
import { answerRequest, requestAccess, viewRequest } from './requests.ts';
import { shareMeeting } from './share.ts';
import { viewSharing } from './view.ts';

const tag = 'Sharing';

export const sharingRoutes = new Hono<Env>()
  .get(
    '/meetings/:id/acl',
    describe({
      summary: 'Who may do what on a meeting, and who has asked to',
      tag,
      answer: sharingView,
      problems: ['NO_ACCESS', 'NO_PERM', 'IC'],
    }),
    async (c) => c.json(await viewSharing(c.var.ctx, { id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/acl',
    describe({
      summary: 'Say who may do what on a meeting: the full list of everybody beside its owner',
      more: 'A principal of kind `user` is known by its id, of kind `pending`, or without a kind, by its `email`: that one is invited by mail, and holds what it is given once an account has confirmed the address. The one of kind `anonymous` is whoever has the link; with `discover` everybody. It never holds `own`, and may carry a `code` (8 to 64 of the letters and digits that are not taken for others; null for none) and an end, `expires`; left out, these stay. The permissions are those of one of the four roles. `version` is any of the document’s since the list was last changed; the change raises it, and a conflict tells the one there is now.',
      tag,
      answer: sharedAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'IDEMP', 'RATE', 'IC'],
    }),
    body(aclInput),
    once,
    async (c) => c.json(await shareMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/unlock',
    describe({
      summary: 'Give the access code of a link: from then on this browser, or whoever the token is of, may come in',
      tag,
      open: true,
      problems: ['NO_ACCESS', 'IC', 'RATE'],
    }),
    body(codeInput),
    async (c) => {
      const { secret } = await giveCode(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') });
      if (secret !== null) keepPass(c, secret, passSeconds);
      return c.body(null, 204);
    },
  )
  .post(
    '/meetings/:id/requestAccess',
    describe({
      summary: 'Ask the owner of a meeting to be let in; answered alike whether there is one or not',
      tag,
      also: { 202: 'It is passed on, where there is somebody to pass it to' },
    }),
    async (c) => {
      await requestAccess(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 202);
    },
  )
  .get(
    '/access-requests/:id',
    describe({
      summary: 'Who asks to be let in, and where; for whoever may share it',
      tag,
      answer: requestedView,
      problems: ['NO_ACCESS'],
    }),
    async (c) => c.json(await viewRequest(c.var.ctx, { id: c.req.param('id') })),
  )
  .post(
    '/access-requests/:id',
    describe({
      summary: 'Let somebody in who has asked, as what `role` says; null says no',
      tag,
      answer: requestedView,
      problems: ['NO_ACCESS', 'INVALID'],
    }),
    body(requestAnswerInput),
    async (c) => c.json(await answerRequest(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  );
