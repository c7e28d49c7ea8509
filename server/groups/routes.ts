import { Hono } from 'hono';
import { groupChangeInput, groupDetail, groupInput, groupsAnswer, groupView, membersInput } from '#shared/groups.ts';
import { body, noParameters } from '../http/body.ts';
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
  'Only for admins of the group. Others, also non-members, get the same answer whether the group exists or not.';

export const groupRoutes = new Hono<Env>()
  .get(
    '/groups',
    describe({
      summary: 'List the caller’s groups, including archived ones',
      tag,
      answer: groupsAnswer,
      problems: ['INVALID'],
    }),
    noParameters,
    async (c) => c.json(await listGroups(c.var.ctx)),
  )
  .post(
    '/groups',
    describe({
      summary: 'Create a group with the caller as its admin',
      more: 'The name has at least 8 characters. If the caller is in a group of that name, the answer suggests free names in `info.suggestions`. Unknown fields are refused.',
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
      summary: 'Get a group with its members and, for its admins, its invitations (`pending`)',
      tag,
      answer: groupDetail,
      problems: ['NO_ACCESS'],
    }),
    async (c) => c.json(await readGroup(c.var.ctx, { id: c.req.param('id') })),
  )
  .put(
    '/groups/:id',
    describe({
      summary: 'Change a group’s name or description',
      more: `${takesAdmin} Omitted fields stay. The whole group may be sent as it was returned: only name and description are used. Unknown fields are refused.`,
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
      summary: 'Delete a group; members lose the access they have through it',
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
      summary: 'Archive a group: until it is unarchived, members lose the access they have through it',
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
      summary: 'Unarchive a group',
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
      summary: 'Leave a group; not possible for its only admin',
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
      summary: 'Join a group that has invited the caller’s confirmed address',
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
      summary: 'Invite addresses to a group, and set the roles of members and invited people',
      more: `${takesAdmin} If one address is invalid, nobody is invited and the answer names its row. Somebody already invited with the same role gets the mail again.`,
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
      summary: 'Remove a member from a group, or cancel an invitation',
      more: `${takesAdmin} \`member\` is the member’s id. The last admin cannot be removed.`,
      tag,
      problems: ['NO_ACCESS', 'NO_PERM', 'INVALID', 'IDEMP'],
    }),
    once,
    async (c) => {
      await removeMember(c.var.ctx, { id: c.req.param('id'), member: c.req.param('member') });
      return c.body(null, 204);
    },
  );
