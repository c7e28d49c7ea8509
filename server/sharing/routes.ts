import { Hono } from 'hono';
import {
  codeInput,
  meetingAclInput,
  paidShareInput,
  paidShareView,
  askedView,
  requestAccessInput,
  requestAnswerInput,
  requestedView,
  sharedAnswer,
  sharingView,
} from '#shared/sharing.ts';
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { keepPass } from '../people/identify.ts';
import { giveCode, passSeconds } from './link.ts';
import { payForSharing } from './paid-share.ts';
import { answerRequest, requestAccess, viewRequest } from './requests.ts';
import { shareMeeting } from './share.ts';
import { viewSharing } from './view.ts';

const tag = 'Sharing';

export const sharingRoutes = new Hono<Env>()
  .get(
    '/meetings/:id/acl',
    describe({
      summary: 'List who has access to a meeting, and who has requested it',
      tag,
      answer: sharingView,
      problems: ['NO_ACCESS', 'NO_PERM', 'IC'],
    }),
    async (c) => c.json(await viewSharing(c.var.ctx, { id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/acl',
    describe({
      summary: 'Set who has access to a meeting: the full list, without its owner',
      more: 'A principal of kind `user` is named by its id; one of kind `pending`, or without a kind, by its `email`: that person is invited by mail, and has the permissions once an account has confirmed the address. A person who declined (`declined`) has none, until they accept after all or an entry with `again` invites them once more. Kind `anonymous` is whoever has the link; with `discover` everybody. It never has `own`, and may have a `code` (8 to 64 letters and digits that cannot be confused; null for none) and an end, `expires`; omitted, these stay. The permissions are those of one of the four roles. `version` is any version of the document since the list was last changed; the change raises it, and a conflict returns the present one. `history` is the permission that versions and deleted text need from now on: `write`, the default, or `own`; omitted, it stays.',
      tag,
      answer: sharedAnswer,
      problems: ['NO_ACCESS', 'NO_PERM', 'FUNDS', 'CONFLICT', 'IDEMP', 'RATE', 'IC'],
    }),
    body(meetingAclInput),
    once,
    async (c) => c.json(await shareMeeting(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/paid-share',
    describe({
      summary: 'Pay for sharing a recording with people outside the teams of its owner, once a recording',
      more: '`cost` is an option of `info.costs`, which the refusal to share has answered: its number, or the whole option. Then the same list can be saved.',
      tag,
      answer: paidShareView,
      problems: ['NO_ACCESS', 'NO_PERM', 'FUNDS', 'QUOTA', 'PRICE', 'IDEMP', 'IC'],
    }),
    body(paidShareInput),
    once,
    async (c) => c.json(await payForSharing(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .post(
    '/meetings/:id/unlock',
    describe({
      summary: 'Enter the access code of a link; this browser, or the token’s owner, has access from then on',
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
      summary: 'Ask a meeting’s owner for a role (default: canRead); the answer is the same where there is no meeting',
      tag,
      problems: ['INVALID'],
      answer: askedView,
      also: { 202: 'It is passed on, where there is somebody to pass it to' },
    }),
    body(requestAccessInput, { optional: true }),
    async (c) => {
      const asked = await requestAccess(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') });
      return c.json(asked, 202);
    },
  )
  .get(
    '/access-requests/:id',
    describe({
      summary: 'List requests for access, for those who may share the meeting',
      tag,
      answer: requestedView,
      problems: ['NO_ACCESS'],
    }),
    async (c) => c.json(await viewRequest(c.var.ctx, { id: c.req.param('id') })),
  )
  .post(
    '/access-requests/:id',
    describe({
      summary: 'Grant a request for access with `role`, or decline it with null',
      tag,
      answer: requestedView,
      problems: ['NO_ACCESS', 'FUNDS', 'INVALID'],
    }),
    body(requestAnswerInput),
    async (c) => c.json(await answerRequest(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  );
