import { Hono } from 'hono';
import { z } from 'zod';
import { invitationAnswer, principalView, registerInput } from '#shared/accounts.ts';
import { recordingAsked } from '#shared/intake.ts';
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { describe } from '../http/openapi.ts';
import { setSession } from '../people/identify.ts';
import { askForRecording } from './ask-recording.ts';
import { acceptInvitation, registerInvited } from './accept-invitation.ts';
import { declineInvitation } from './decline-invitation.ts';

const tag = 'Invitations';

export const invitationRoutes = new Hono<Env>()
  .post(
    '/invitations',
    describe({
      summary: 'Ask a person for a recording, which they assess first and the caller after them',
      more: 'Sends a mail with an invitation. Asking again replaces the earlier one.',
      tag,
      problems: ['NO_PERM', 'INVALID', 'RATE'],
    }),
    body(recordingAsked),
    async (c) => {
      await askForRecording(c.var.ctx, c.req.valid('json'));
      return c.body(null, 204);
    },
  )
  .post(
    '/invitations/:id',
    describe({
      summary: 'Accept an invitation, or get what is missing to accept it',
      tag,
      open: true,
      answer: invitationAnswer,
      problems: ['GONE', 'RATE'],
    }),
    async (c) => c.json(await acceptInvitation(c.var.ctx, c.req.param('id'))),
  )
  .post(
    '/invitations/:id/decline',
    describe({
      summary: 'Decline an invitation, or get what is missing to decline it',
      more: 'The admins of the group, or the people who can share the recording or folder, see that it was declined. It can be accepted as long as it is open, also afterwards.',
      tag,
      open: true,
      answer: invitationAnswer,
      problems: ['GONE', 'RATE'],
    }),
    async (c) => c.json(await declineInvitation(c.var.ctx, { id: c.req.param('id'), declined: true })),
  )
  .post(
    '/invitations/:id/reopen',
    describe({
      summary: 'Take back that an invitation was declined; it waits for an answer again',
      tag,
      open: true,
      answer: invitationAnswer,
      problems: ['GONE', 'RATE'],
    }),
    async (c) => c.json(await declineInvitation(c.var.ctx, { id: c.req.param('id'), declined: false })),
  )
  .post(
    '/invitations/:id/register',
    describe({
      summary: 'Register with an invitation; its address needs no confirmation',
      tag,
      open: true,
      answer: z.object({ user: principalView, confirmationNeeded: z.boolean() }),
      problems: ['GONE', 'BOT', 'RATE'],
    }),
    body(registerInput, { form: 'register' }),
    async (c) => {
      const { session, user, confirmationNeeded } = await registerInvited(
        c.var.ctx,
        c.req.param('id'),
        c.req.valid('json'),
      );
      setSession(c, session);
      return c.json({ user, confirmationNeeded });
    },
  );
