import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { apiTokens, users } from '#db/schema/accounts.ts';
import { emailKey, lifetimes, type AddressInput, type NewPasswordInput } from '#shared/accounts.ts';
import { Problem, invalid } from '#shared/problems.ts';
import { transaction, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { queueMail } from '../mail/queue.ts';
import { dropRivals, ownerOf } from '../people/addresses.ts';
import { isCommonPassword } from './common-passwords.ts';
import { mailConfirmation } from './register.ts';
import { endSessions } from '../people/sessions.ts';
import { issueMailToken, killMailTokens, peekMailToken, useMailToken } from './tokens.ts';

/**
 * The same answer whoever asks for whatever address. Only somebody who has shown that the address is theirs gets a link
 * to a new password; an address still to be confirmed gets the confirmation mail, as that comes first.
 */
export async function askForReset(ctx: Ctx, input: AddressInput): Promise<void> {
  await ctx.limits.take(rules.askMail, ctx.address);
  if (!(await ctx.botCheck.verify('restore', input.botToken))) {
    throw new Problem('BOT', { errors: [{ field: 'botToken', code: 'bot' }] });
  }
  const key = emailKey(input.email);
  // Before the link is made: a link that is not sent must not make the one that was sent worthless.
  if (!(await ctx.limits.allow(rules.mailTo, key))) return;
  await transaction(ctx, async (tx) => {
    const owner = await ownerOf(tx, key);
    await (owner ? mailReset(ctx, tx, owner) : mailConfirmation(ctx, tx, key));
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
 * The link of the mail. Whoever needs it may have lost the password to somebody else, so everything that could act as
 * the person ends: sessions, API tokens, other links. A link that takes a changed address back stays.
 */
export async function resetPassword(ctx: Ctx, token: string, input: NewPasswordInput): Promise<{ userId: string }> {
  await ctx.limits.take(rules.tokens, ctx.address);
  const { user } = await peekMailToken(ctx, ctx.db.orm, 'reset', token);
  // Somebody signed in as another person is not who the mail was for. An unconfirmed account of the same address is.
  if (ctx.person && ctx.person.emailKey !== user.emailKey) throw new Problem('GONE');
  if (isCommonPassword(input.password)) throw invalid({ field: 'password', code: 'password_common' });
  const passwordHash = await ctx.passwords.hash(input.password);

  await transaction(ctx, async (tx) => {
    await useMailToken(ctx, tx, 'reset', token);
    // First the password: a sign-in with the old one that is under way then either ends here or is ended below.
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
