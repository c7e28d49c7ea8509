import { emailKey } from '#shared/accounts.ts';
import type { RecordingAsked } from '#shared/intake.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { rules } from '../limits.ts';
import { mayMail } from '../mail/may-mail.ts';
import { createInvitation } from '../people/invitations.ts';

/** Asks a person for a recording, which they assess first and the caller after them. */
export async function askForRecording(ctx: Ctx, { email }: RecordingAsked): Promise<void> {
  const signed = signedIn(ctx);
  const { person } = signed;
  // The person asked would otherwise be told a name that nobody has shown to be theirs.
  if (!person.confirmed) throw new Problem('NO_PERM', { message: 'Please confirm your e-mail address first' });
  const key = emailKey(email);
  if (key === person.emailKey) throw invalid({ field: 'email', code: 'student' });
  await transaction(ctx, async (tx) => {
    if (!(await ctx.limits.allow(rules.shareMails, person.id, tx))) throw new Problem('RATE', { retryAfter: 600 });
    const silent = !(await mayMail(ctx, tx, { purpose: 'shared', to: key, from: person.id }));
    await createInvitation(signed, tx, { kind: 'recording', targetId: person.id, email, silent });
  });
}
