import { Hono } from 'hono';
import {
  cloneInput,
  groupChangeInput,
  groupDetail,
  groupInput,
  groupsAnswer,
  groupView,
  memberInput,
  membersInput,
  newGroupView,
  reportQuery,
} from '#shared/groups.ts';
import { attachment } from '../http/attachment.ts';
import { body, bodyAsSent, noParameters, query } from '../http/body.ts';
import type { Env } from '../http/env.ts';
import { once } from '../http/once.ts';
import { describe } from '../http/openapi.ts';
import { cloneGroup } from './clone.ts';
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
import { reportActivity } from './report.ts';
import { changeMember, inviteMembers, removeMember } from './invite.ts';

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
      more: 'The name has at least 8 characters. If the caller is in a group of that name, the answer suggests free names in `info.suggestions`. A group of the type `team` has centralized billing: its payer, at first the caller, pays for its members’ recordings, and only it takes the settings. With `folder`, a folder of the caller is made whose content members can edit. Unknown fields are refused.',
      tag,
      answer: newGroupView,
      problems: ['NO_PERM', 'IDEMP'],
    }),
    bodyAsSent(groupInput),
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
      summary: 'Change a group: its name, settings, members, payer, or outcome models',
      more: `${takesAdmin} Omitted fields stay. The whole group may be sent as it was returned. The \`type\` \`team\` makes the caller the payer; only the payer makes it a plain group again. An admin who names themselves as \`payer\` pays from now on; one who is named by another is asked, and accepts by the same call. \`include\` invites, \`exclude\` removes. \`modelsInclude\` and \`modelsExclude\` change the outcome models that members are offered. Of sets of outcome types that people made, admins choose the group’s, their own, and those that the group offers already; all others are refused as \`set_gone\`. Unknown fields are refused.`,
      tag,
      answer: groupView,
      problems: ['NO_ACCESS', 'NO_PERM', 'CONFLICT', 'RATE', 'IDEMP'],
    }),
    bodyAsSent(groupChangeInput),
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
    '/groups/:id/clone',
    describe({
      summary: 'Copy a group with its settings; its other admins, and with `copyMembers` its members, are invited',
      more: `${takesAdmin} The caller is the admin of the copy, and the payer of a team. Of sets of outcome types that people made, only the caller’s are in the settings of the copy.`,
      tag,
      answer: groupView,
      problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'],
    }),
    body(cloneInput),
    once,
    async (c) => c.json(await cloneGroup(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .get(
    '/groups/:id/activity-report',
    describe({
      summary: 'What a team paid for, by member, as a CSV file',
      more: `${takesAdmin} \`fromDate\` and \`toDate\` are days in UTC, both included, or exact times. A row a member, former ones too: recordings, minutes and credits of the time, the quota, and the day of the last one. Recordings are not named.`,
      tag,
      bytes: true,
      problems: ['NO_ACCESS', 'NO_PERM', 'INVALID'],
    }),
    query(reportQuery),
    async (c) => {
      const { name, text } = await reportActivity(c.var.ctx, { ...c.req.valid('query'), id: c.req.param('id') });
      c.header('Content-Type', 'text/csv; charset=utf-8');
      c.header('Content-Disposition', attachment(name));
      return c.body(text);
    },
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
    describe({
      summary: 'Decline an invitation to a group',
      more: 'Admins of the group see that. It can be accepted as long as it is open, also afterwards.',
      tag,
      problems: ['NO_ACCESS', 'IDEMP'],
    }),
    once,
    async (c) => {
      await ignoreGroup(c.var.ctx, { id: c.req.param('id') });
      return c.body(null, 204);
    },
  )
  .post(
    '/groups/:id/members',
    describe({
      summary: 'Invite addresses to a group, and set the roles and quotas of members and invited people',
      more: `${takesAdmin} If one address is invalid, nobody is invited and the answer names its row. Somebody already invited with the same role gets the mail again; one who declined is invited anew.`,
      tag,
      answer: groupDetail,
      problems: ['NO_ACCESS', 'NO_PERM', 'RATE', 'IDEMP'],
    }),
    bodyAsSent(membersInput),
    once,
    async (c) => c.json(await inviteMembers(c.var.ctx, { ...c.req.valid('json'), id: c.req.param('id') })),
  )
  .put(
    '/groups/:id/members/:member',
    describe({
      summary: 'Set the role of a member or an invited person, and what a team pays for them',
      more: `${takesAdmin} \`quota\` is in credits, null follows the team’s default; it cannot be below what is used. Whom the caller removed within the last minute is a member again as before.`,
      tag,
      answer: groupDetail,
      problems: ['NO_ACCESS', 'NO_PERM', 'IDEMP'],
    }),
    bodyAsSent(memberInput),
    once,
    async (c) =>
      c.json(
        await changeMember(c.var.ctx, {
          ...c.req.valid('json'),
          id: c.req.param('id'),
          member: c.req.param('member'),
        }),
      ),
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
