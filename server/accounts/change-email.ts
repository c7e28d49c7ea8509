import { and, eq, gte } from 'drizzle-orm';
import type { z } from 'zod';
import { accountDeletions, apiTokens, identities, mailTokens, users } from '#db/schema/accounts.ts';
import { emailKey, lifetimes, type changeEmailInput, type confirmEmailChangeInput } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { Problem, invalid } from '#shared/problems.ts';
import { takeGifts } from '../billing/gift.ts';
import { inPerson, transaction, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { mayMail } from '../mail/may-mail.ts';
import { queueMail } from '../mail/queue.ts';
import { claimAddress, ownerOf } from '../people/addresses.ts';
import { stayUnnamed } from '../reviews/leave-address.ts';
import { proveAgain } from './proof.ts';
import { mailReset } from './reset.ts';
import { endSessions } from '../people/sessions.ts';
import { issueMailToken, killMailTokens, peekMailToken, useMailToken } from './tokens.ts';

/** Step 1: mails a link to the new address. Only the address itself learns whether it has an account already. */
export async function askForNewAddress(ctx: Ctx, input: z.infer<typeof changeEmailInput>): Promise<void> {
  const { person } = inPerson(ctx);
  if (!person.confirmed) throw new Problem('NO_PERM', { message: 'Please confirm your e-mail address first' });
  await ctx.limits.take(rules.askMail, person.id);
  const key = emailKey(input.newEmail);
  if (key === person.emailKey) throw invalid({ field: 'newEmail', code: 'same_email' });

  await transaction(ctx, async (tx) => {
    const [user] = await tx.select().from(users).where(eq(users.id, person.id));
    if (!user) throw new Problem('UNAUTH');
    const owner = await ownerOf(tx, key);
    const purpose = owner ? 'already-registered' : 'change-email';
    if (!(await mayMail(ctx, tx, { purpose, to: key, from: person.id }))) return;
    if (owner) {
      await queueMail(ctx, tx, {
        to: owner.email,
        language: owner.language,
        mail: { kind: 'already-registered', firstName: owner.firstName },
        lifetime: lifetimes.changeEmail,
      });
      return;
    }
    const token = await issueMailToken(ctx, tx, 'change-email', user, lifetimes.changeEmail, input.newEmail);
    await queueMail(ctx, tx, {
      to: input.newEmail,
      language: user.language,
      mail: { kind: 'change-email', firstName: user.firstName, token },
      lifetime: lifetimes.changeEmail,
    });
  });
  ctx.wakeMail();
}

/**
 * Step 2: the same person opens the link and gives the password. The old address gets a mail with a link that undoes
 * the change.
 */
export async function confirmNewAddress(ctx: Ctx, input: z.infer<typeof confirmEmailChangeInput>): Promise<void> {
  const { person } = inPerson(ctx);
  await ctx.limits.take(rules.tokens, ctx.address);
  const { token: link, user } = await peekMailToken(ctx, ctx.db.orm, 'change-email', input.token);
  if (user.id !== person.id || link.newEmail === null) throw new Problem('GONE');
  await proveAgain(ctx, input.password);

  const email = link.newEmail;
  const key = emailKey(email);
  await transaction(ctx, async (tx) => {
    if (!(await claimAddress(tx, key, user.id))) throw new Problem('GONE');
    await useMailToken(ctx, tx, 'change-email', input.token);
    await stayUnnamed(tx, user.id, ctx.clock.now());
    await tx.update(users).set({ email, emailKey: key }).where(eq(users.id, user.id));
    await takeGifts(ctx, tx, { id: user.id, key });
    await endSessions(tx, user.id);
    await killMailTokens(tx, user.id, 'change-email', 'reset');
    // The old address counts as having had its trial, or two mailboxes could get any number of trials.
    await tx.insert(accountDeletions).values({
      id: newId(),
      emailHash: ctx.keys.mac('deleted-address', user.emailKey),
      reason: 'addressChanged',
      comment: null,
      at: ctx.clock.now(),
    });
    const undo = await issueMailToken(ctx, tx, 'undo-email', user, lifetimes.undoEmail, user.email);
    await queueMail(ctx, tx, {
      to: user.email,
      language: user.language,
      mail: { kind: 'email-changed', firstName: user.firstName, newEmail: email, token: undo },
      lifetime: lifetimes.undoEmail,
    });
  });
  ctx.wakeMail();
}

/**
 * Undoes a change of address, from the mail to the old one. The attacker knew the password and may have set up other
 * ways in, so all of them are removed: the password, sessions, API tokens, identities linked since, and links that undo
 * changes to their addresses. A password reset link goes to the restored address.
 */
export async function undoEmailChange(ctx: Ctx, token: string): Promise<{ email: string }> {
  await ctx.limits.take(rules.tokens, ctx.address);
  const { token: link, user } = await peekMailToken(ctx, ctx.db.orm, 'undo-email', token);
  const email = link.newEmail;
  if (email === null) throw new Problem('GONE');
  const key = emailKey(email);
  await transaction(ctx, async (tx) => {
    if (!(await claimAddress(tx, key, user.id))) throw new Problem('GONE');
    await useMailToken(ctx, tx, 'undo-email', token);
    await stayUnnamed(tx, user.id, ctx.clock.now());
    await tx.update(users).set({ email, emailKey: key, passwordHash: null }).where(eq(users.id, user.id));
    await takeGifts(ctx, tx, { id: user.id, key });
    await endSessions(tx, user.id);
    await tx.delete(apiTokens).where(eq(apiTokens.userId, user.id));
    await tx.delete(identities).where(and(eq(identities.userId, user.id), gte(identities.createdAt, link.createdAt)));
    await killMailTokens(tx, user.id, 'change-email', 'reset');
    await tx
      .delete(mailTokens)
      .where(
        and(
          eq(mailTokens.userId, user.id),
          eq(mailTokens.purpose, 'undo-email'),
          gte(mailTokens.createdAt, link.createdAt),
        ),
      );
    await mailReset(ctx, tx, { ...user, email, emailKey: key });
  });
  ctx.wakeMail();
  return { email };
}
