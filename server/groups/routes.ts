import { Hono } from 'hono';
import { groupChangeInput, groupDetail, groupInput, groupsAnswer, groupView, membersInput } from '#shared/groups.ts';
import { body } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import {
  acceptGroup,
  archiveGroup,
  changeGroup,
  createGroup,
  deleteGroup,
  ignoreGroup,
  leaveGroup,
  listGroups,
  readGroup,
} from './groups.ts';
import { inviteMembers, removeMember } from './invite.ts';

const tag = 'Groups';
const takesAdmin =
  'It takes an admin of the group. Of a group one is not in, nothing is told but that there is no access.';

export const groupRoutes = new Hono<Env>()
  .get(
    '/groups',
    describe({ summary: 'The groups one is in, also those that are archived', tag, answer: groupsAnswer }),
    async (c) => c.json(await listGroups(c.var.ctx)),
  )
  .post(
    '/groups',
    describe({
      summary: 'Make a group, whose admin one is',
      more: 'The name has 8 letters at least. Where one is in a group of that name, the refusal names free ones in `info.suggestions`. A field that is not known here is refused.',
      tag,
      answer: groupView,
      problems: ['NO_PERM', 'IDEMP'],
    }),
    body(groupInput),
    once,
    async (c) => c.json(await createGroup(c.var.ctx, c.req.valid('json'))),
  )
  .get(
    '/groups/:id',
    describe({
      summary: 'A group with its members; for its admins also those who are invited (`pending`)',
      tag,
      answer: groupDetail,
      problems: ['NO_ACCESS'],
    }),
    async (c) => c.json(await readGroup(c.var.ctx, { id: c.req.param('id') })),
  )
  .put(
    '/groups/:id',
    describe({
      summary: 'Give a group another name or description',
      more: `${takesAdmin} What is left out stays. It may be sent whole, as it was answered: but for name and description nothing is taken from it. A field that is not known here is refused.`,
      tag,
      answer: groupView,
      problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'],
    }),
    body(groupChangeInput),
    once,
    async (c) => c.json(await changeGroup(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .delete(
    '/groups/:id',
    describe({
      summary: 'Delete a group; what was shared with it is shared with nobody by it any more',
      more: takesAdmin,
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'],
    }),
    once,
    async (c) => {
      await deleteGroup(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .post(
    '/groups/:id/deactivate',
    describe({
      summary: 'Archive a group: until it is taken up again, what is shared with it is shared with nobody by it',
      more: takesAdmin,
      tag,
      answer: groupView,
      problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'],
    }),
    once,
    async (c) => c.json(await archiveGroup(c.var.ctx, { id: c.req.param('id'), archived: true })),
  )
  .post(
    '/groups/:id/activate',
    describe({
      summary: 'Take up a group again that was archived',
      more: takesAdmin,
      tag,
      answer: groupView,
      problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'],
    }),
    once,
    async (c) => c.json(await archiveGroup(c.var.ctx, { id: c.req.param('id'), archived: false })),
  )
  .post(
    '/groups/:id/leave',
    describe({
      summary: 'Leave a group; its only admin cannot',
      tag,
      problems: ['NO_ACCESS', 'INVALID', 'IDEMP'],
    }),
    once,
    async (c) => {
      await leaveGroup(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .post(
    '/groups/:id/accept',
    describe({
      summary: 'Join a group one’s confirmed address is invited to',
      tag,
      answer: groupView,
      problems: ['NO_ACCESS', 'IDEMP'],
    }),
    once,
    async (c) => c.json(await acceptGroup(c.var.ctx, { id: c.req.param('id') })),
  )
  .post(
    '/groups/:id/ignore',
    describe({ summary: 'Decline an invitation to a group', tag, problems: ['NO_ACCESS', 'IDEMP'] }),
    once,
    async (c) => {
      await ignoreGroup(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .post(
    '/groups/:id/members',
    describe({
      summary: 'Invite addresses to a group, and say what those are who are in it or invited already',
      more: `${takesAdmin} With one address that is none, nobody is invited, and the refusal names its row. Somebody who waits with the same role is written to again.`,
      tag,
      answer: groupDetail,
      problems: ['NO_ACCESS', 'NO_PERM', 'RATE', 'IDEMP'],
    }),
    body(membersInput),
    once,
    async (c) => c.json(await inviteMembers(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .delete(
    '/groups/:id/members/:member',
    describe({
      summary: 'Put somebody out of a group, or take their invitation back',
      more: `${takesAdmin} \`member\` is the id a member is answered with. The last admin stays.`,
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'INVALID', 'IDEMP'],
    }),
    once,
    async (c) => {
      await removeMember(c.var.ctx, { id: c.req.param('id'), member: c.req.param('member') });
      return c.body(null, 204);
    },
  );
