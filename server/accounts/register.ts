import { and, desc, eq, isNull, lt } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { emailKey, lifetimes, type AddressInput, type RegisterInput } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import { Problem, invalid } from '#shared/problems.ts';
import { keepReferral } from '../billing/referral.ts';
import { moneyTransaction } from '../billing/ledger.ts';
import { transaction, type Ctx, type House } from '../context.ts';
import { rules } from '../limits.ts';
import { mayMail } from '../mail/may-mail.ts';
import { queueMail } from '../mail/queue.ts';
import { claimAddress, ownerOf } from '../people/addresses.ts';
import { isCommonPassword } from './common-passwords.ts';
import { principalOf } from './principal.ts';
import { endSession, startSession } from '../people/sessions.ts';
import { issueMailToken, killMailTokens, peekMailToken, useMailToken } from './tokens.ts';
import { welcome } from './confirmed.ts';

/**
 * Makes an account, signed in at once but not confirmed. Only a mail to the address reveals whether it has an account
 * already: answer, cookie and time are the same. A second account with a confirmed address can never be confirmed and
 * is deleted after a few days.
 */
export async function register(ctx: Ctx, input: RegisterInput, invitedAs: string | null = null) {
  await ctx.limits.take(rules.registerAddress, ctx.address);
  if (isCommonPassword(input.password)) throw invalid({ field: 'password', code: 'password_common' });
  if (!(await ctx.botCheck.verify('register', input.botToken)))
    throw new Problem('BOT', { errors: [{ field: 'botToken', code: 'bot' }] });

  const key = emailKey(input.email);
  const passwordHash = await ctx.passwords.hash(input.password);
  const now = ctx.clock.now();
  const done = await moneyTransaction(ctx, async (tx) => {
    const id = newId();
    // The secret link of an invitation was mailed to this address, so its holder has proved the address.
    const confirmed = invitedAs === key && (await claimAddress(tx, key, id));
    const owner = confirmed ? null : await ownerOf(tx, key);
    // The first mail counts like those sent again, also where the address is taken: a wait tells nothing about it.
    if (!confirmed) await ctx.limits.allow(rules.confirmAgain, confirmationAsked(ctx, key), tx);
    await tx.insert(users).values({
      id,
      email: input.email,
      emailKey: key,
      passwordHash,
      firstName: input.firstName,
      lastName: input.lastName,
      language: input.language ?? null,
      createdAt: now,
      confirmedAt: confirmed ? now : null,
    });
    await keepReferral(ctx, tx, input.referral, id);
    if (confirmed) await welcome(ctx, tx, { id, key });
    if (owner && (await mayMail(ctx, tx, { purpose: 'already-registered', to: key }))) {
      await queueMail(ctx, tx, {
        to: owner.email,
        language: owner.language,
        mail: { kind: 'already-registered', firstName: owner.firstName },
        lifetime: lifetimes.confirm,
      });
    } else if (!owner && !confirmed) {
      const account = {
        id,
        emailKey: key,
        email: input.email,
        firstName: input.firstName,
        language: input.language ?? null,
      };
      await sendConfirmation(ctx, tx, account);
    }
    if (ctx.proof?.kind === 'session') await endSession(tx, ctx.proof.sessionHash);
    const session = await startSession(ctx, tx, { userId: id, remember: false, userAgent: ctx.userAgent });
    return { id, session, confirmationNeeded: !confirmed };
  });
  ctx.wakeMail();
  return {
    session: done.session,
    userId: done.id,
    user: await principalOf(ctx, done.id),
    confirmationNeeded: done.confirmationNeeded,
  };
}

interface Unconfirmed {
  id: string;
  emailKey: string;
  email: string;
  firstName: string;
  language: string | null;
}

async function sendConfirmation(ctx: Ctx, tx: Orm, account: Unconfirmed): Promise<void> {
  // Checked before the link is made, because a new link invalidates the one that was mailed.
  if (!(await mayMail(ctx, tx, { purpose: 'confirm', to: account.emailKey, from: ctx.address }))) return;
  const token = await issueMailToken(ctx, tx, 'confirm', account, lifetimes.confirm);
  await queueMail(ctx, tx, {
    to: account.email,
    language: account.language,
    mail: { kind: 'confirm', firstName: account.firstName, token },
    lifetime: lifetimes.confirm,
  });
}

/**
 * Mails a confirmation to an unconfirmed address: for the account this browser registered, or else for the latest one.
 */
export async function mailConfirmation(ctx: Ctx, tx: Orm, key: string): Promise<void> {
  const waiting = await tx
    .select()
    .from(users)
    .where(and(eq(users.emailKey, key), isNull(users.confirmedAt)))
    .orderBy(desc(users.createdAt), desc(users.id))
    .limit(10);
  const account = waiting.find((one) => one.id === ctx.person?.id) ?? waiting[0];
  if (account) await sendConfirmation(ctx, tx, account);
}

/** Key of confirmation mails: address and asker. */
const confirmationAsked = (ctx: Ctx, key: string): string => `${key}:${ctx.address}`;

/**
 * Mails the confirmation again and returns the seconds until it may be requested once more. The answer is the same for
 * every address.
 */
export async function resendConfirmation(ctx: Ctx, input: AddressInput): Promise<number> {
  const { limits } = ctx;
  await limits.take(rules.askMail, ctx.address);
  const key = emailKey(input.email);
  const asked = confirmationAsked(ctx, key);
  // The hour comes first: its wait is the longer one.
  await limits.check(rules.confirmAgain, asked);
  await limits.take(rules.confirmPause, asked);
  await limits.take(rules.confirmAgain, asked);
  await transaction(ctx, async (tx) => {
    if (!(await ownerOf(tx, key))) await mailConfirmation(ctx, tx, key);
  });
  ctx.wakeMail();
  return Math.max(await limits.wait(rules.confirmPause, asked), await limits.wait(rules.confirmAgain, asked));
}

/**
 * Confirms an address by the link of the mail. The first account to confirm it gets it; other accounts with it are
 * deleted.
 */
export async function confirm(ctx: Ctx, token: string): Promise<{ email: string }> {
  await ctx.limits.take(rules.tokens, ctx.address);
  return moneyTransaction(ctx, async (tx) => {
    const { user } = await peekMailToken(ctx, tx, 'confirm', token);
    if (user.confirmedAt || !(await claimAddress(tx, user.emailKey, user.id))) throw new Problem('GONE');
    await useMailToken(ctx, tx, 'confirm', token);
    await tx.update(users).set({ confirmedAt: ctx.clock.now() }).where(eq(users.id, user.id));
    await welcome(ctx, tx, { id: user.id, key: user.emailKey });
    await killMailTokens(tx, user.id, 'confirm');
    return { email: user.email };
  });
}

export async function sweepUnconfirmed(house: House): Promise<void> {
  const before = new Date(house.clock.now().getTime() - lifetimes.unconfirmedAccount * 1000);
  await house.db.orm.delete(users).where(and(isNull(users.confirmedAt), lt(users.createdAt, before)));
}
