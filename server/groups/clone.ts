import { emailKey } from '#shared/accounts.ts';
import type { CloneInput, GroupView, TeamOptions } from '#shared/groups.ts';
import { isModelId, isOwnModel } from '#shared/account-choices.ts';
import { createInvitation } from '../people/invitations.ts';
import type { Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { mayMail } from '../mail/may-mail.ts';
import { change } from './change.ts';
import { makeGroup } from './groups.ts';
import { groupFor, membersOf, roleNamed, viewGroup } from './members.ts';
import { setsOwnedBy } from './offered-sets.ts';
import { teamOf } from './teams.ts';

/**
 * Copies a group with its settings; of sets of outcome types that people made, those of the caller alone. The caller is
 * its admin, and its payer; all others are invited: the other admins, and members where that is wanted. Nobody is in a
 * group, or pays for one, without their word.
 */
export function cloneGroup(ctx: Ctx, { id, name, copyMembers }: CloneInput & { id: string }): Promise<GroupView> {
  return change(ctx, async (signed, tx) => {
    const { group } = await groupFor(signed, tx, 'POST /api/groups/:id/clone', id);
    const team = await teamOf(tx, id);
    const {
      groupId: _,
      payerId: __,
      askedPayerId: ___,
      lowSince: ____,
      uploadsTold: _____,
      uploadMails,
      ...set
    } = team ?? {};
    const mine = await setsOwnedBy(tx, signed.person.id);
    const comesAlong = (model: string) => !isOwnModel(model) || mine.includes(model);
    const forced = team?.forceOutcomeModel ?? null;
    const forceOutcomeModel = forced !== null && comesAlong(forced) ? forced : null;
    const copied = await makeGroup(signed, tx, {
      name,
      description: group.description,
      type: team ? 'team' : 'group',
      modelsInclude: group.models.filter(isModelId).filter(comesAlong),
      modelsExclude: undefined,
      // Those who assess a second time are asked in each team anew.
      options: team
        ? ({ ...set, forceOutcomeModel, secondReaders: [], notifyAdminOnUpload: uploadMails } as TeamOptions)
        : {},
    });
    const others = (await membersOf(tx, id)).filter(
      (one) => one.id !== signed.person.id && (copyMembers || one.role === 'admin'),
    );
    for (const one of others) {
      const { email, role, quota, ownQuota } = one;
      // Beyond the mails that one person may send, the invitation is only seen after signing in.
      const silent =
        !(await ctx.limits.allow(rules.shareMails, signed.person.id, tx)) ||
        !(await mayMail(signed, tx, { purpose: 'team', to: emailKey(email), from: signed.person.id }));
      await createInvitation(signed, tx, {
        kind: 'team',
        targetId: copied,
        role: roleNamed(role),
        quota: ownQuota ? quota : null,
        email,
        silent,
        words: team?.invitationEmail ?? '',
      });
    }
    return viewGroup(tx, signed.person.id, copied);
  });
}
