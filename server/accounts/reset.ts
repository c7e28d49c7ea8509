import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { apiTokens, users } from '#db/schema/accounts.ts';
import { emailKey, lifetimes, type AddressInput, type NewPasswordInput } from '#shared/accounts.ts';
import { Problem, invalid } from '#shared/problems.ts';
import { transaction, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { mayMail } from '../mail/may-mail.ts';
import { queueMail } from '../mail/queue.ts';
import { dropRivals, ownerOf } from '../people/addresses.ts';
import { isCommonPassword } from './common-passwords.ts';
import { mailConfirmation } from './register.ts';
import { endSessions } from '../people/sessions.ts';
import { issueMailToken, killMailTokens, peekMailToken, useMailToken } from './tokens.ts';

/**
 * Mails a link to a new password; the answer is the same for every address. Only a confirmed address gets the link; an
 * unconfirmed one gets the confirmation mail, because that comes first. A browser that signed in to the account before
 * has a count apart, so that strangers cannot use up its owner's.
 */
export async function askForReset(ctx: Ctx, input: AddressInput, device: { userId: string; id: string } | null) {
  await ctx.limits.take(rules.askMail, ctx.address);
  if (!(await ctx.botCheck.verify('restore', input.botToken))) {
    throw new Problem('BOT', { errors: [{ field: 'botToken', code: 'bot' }] });
  }
  const key = emailKey(input.email);
  await transaction(ctx, async (tx) => {
    const owner = await ownerOf(tx, key);
    if (!owner) return mailConfirmation(ctx, tx, key);
    const known = device?.userId === owner.id ? device.id : ctx.person?.id === owner.id ? owner.id : null;
    // Checked before the link is made, because a new link invalidates the one that was mailed.
    if (await mayMail(ctx, tx, { purpose: 'reset', to: key, known })) await mailReset(ctx, tx, owner);
  });
  ctx.wakeMail();
}

interface Owner {
  id: string;
  email: string;
  emailKey: string;
  firstName: string;
  language: string | null;
}

export async function mailReset(ctx: Ctx, tx: Orm, owner: Owner): Promise<void> {
  const token = await issueMailToken(ctx, tx, 'reset', owner, lifetimes.reset);
  await queueMail(ctx, tx, {
    to: owner.email,
    language: owner.language,
    mail: { kind: 'reset', firstName: owner.firstName, token },
    lifetime: lifetimes.reset,
  });
}

/**
 * Sets a new password by the link of the mail. Somebody else may know the old one, so everything that could act as the
 * person ends: sessions, API tokens, other links. A link that undoes a change of address stays valid.
 */
export async function resetPassword(ctx: Ctx, token: string, input: NewPasswordInput): Promise<{ userId: string }> {
  await ctx.limits.take(rules.tokens, ctx.address);
  const { user } = await peekMailToken(ctx, ctx.db.orm, 'reset', token);
  // The link is refused to a person signed in with another address; an unconfirmed account with the same address may
  // use it.
  if (ctx.person && ctx.person.emailKey !== user.emailKey) throw new Problem('GONE');
  if (isCommonPassword(input.password)) throw invalid({ field: 'password', code: 'password_common' });
  const passwordHash = await ctx.passwords.hash(input.password);

  await transaction(ctx, async (tx) => {
    await useMailToken(ctx, tx, 'reset', token);
    // The password changes first: a sign-in in progress with the old one either fails or is ended below.
    await tx.update(users).set({ passwordHash }).where(eq(users.id, user.id));
    await endSessions(tx, user.id);
    await tx.delete(apiTokens).where(eq(apiTokens.userId, user.id));
    await killMailTokens(tx, user.id, 'reset', 'change-email');
    await dropRivals(tx, user.emailKey, user.id);
    await queueMail(ctx, tx, {
      to: user.email,
      language: user.language,
      mail: { kind: 'password-changed', firstName: user.firstName },
      lifetime: lifetimes.notice,
    });
  });
  await ctx.limits.clear(rules.loginAccount, user.emailKey);
  ctx.wakeMail();
  return { userId: user.id };
}
