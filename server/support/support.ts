import { feedback } from '#db/schema/accounts.ts';
import { lifetimes, type feedbackInput, type logInput } from '#shared/accounts.ts';
import { newId } from '#shared/ids.ts';
import type { z } from 'zod';
import type { Config } from '../config.ts';
import { transaction, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { queueMail } from '../mail/queue.ts';
import { conversationOf } from './chat.ts';
import { oneLine, scrubAddresses } from './scrub.ts';

type FeedbackInput = z.infer<typeof feedbackInput>;
type LogInput = z.infer<typeof logInput>;

/**
 * Address that feedback is mailed to; null if nobody would read it. Where mails stay on this machine, its outbox shows
 * feedback to the operator without any configuration.
 */
export function supportAddress({ supportEmail, mail, atHome }: Pick<Config, 'supportEmail' | 'mail' | 'atHome'>) {
  return supportEmail ?? (mail.smtpUrl === null && atHome ? 'support@localhost' : null);
}

/** Stores feedback, and mails it to the operator if that is possible. No sign-in is needed. */
export async function giveFeedback(ctx: Ctx, input: FeedbackInput): Promise<void> {
  await ctx.limits.take(rules.feedback, ctx.person?.id ?? ctx.address);
  // A signed-in person is answered at the account's address, whatever contact they typed.
  const contact = ctx.person?.email ?? input.contact ?? '';
  const said = input.chatId === undefined ? '' : `\n\n${await conversationOf(ctx, input.chatId)}`;
  const text = scrubAddresses(input.text) + said;
  const to = supportAddress(ctx.config);
  await transaction(ctx, async (tx) => {
    await tx
      .insert(feedback)
      .values({ id: newId(), userId: ctx.person?.id ?? null, contact: contact || null, text, at: ctx.clock.now() });
    if (!to) return;
    await queueMail(ctx, tx, {
      to,
      language: null,
      mail: { kind: 'feedback', contact, feedback: text },
      lifetime: lifetimes.notice,
    });
  });
  ctx.wakeMail();
}

/** Logs a message from a page in trouble, as one line. */
export async function logFromPage(ctx: Ctx, { message }: LogInput): Promise<void> {
  if (ctx.person) await ctx.limits.take(rules.logs, ctx.person.id);
  else await ctx.limits.take(rules.logsAnonymous, ctx.address);
  ctx.log.warn(
    { requestId: ctx.requestId, person: ctx.person?.id ?? null, said: oneLine(scrubAddresses(message)) },
    'from a page',
  );
}
