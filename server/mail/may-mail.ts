import type { Orm } from '#db/open.ts';
import type { House } from '../context.ts';
import { rules } from '../limits.ts';

/** Mails that other people than the owner of the address can cause. Each kind has a count of its own. */
type Purpose = 'already-registered' | 'change-email' | 'confirm' | 'gift' | 'reset' | 'shared' | 'team';

interface Asked {
  purpose: Purpose;
  /** Key of the address that gets the mail. */
  to: string;
  /** Asker, where each has a count of their own: a network address, or the id of a signed-in person. */
  from?: string;
  /** Set for a browser that signed in to the account, now or before: strangers cannot use up its count. */
  known?: string | null;
}

/**
 * Whether a mail may be sent to this address now; counts it if so. Ask only for a mail that is then sent, in the
 * transaction that sends it: a request without a mail must not stop the next one that has one.
 */
export async function mayMail(
  { limits }: Pick<House, 'limits'>,
  tx: Orm,
  { purpose, to, from, known }: Asked,
): Promise<boolean> {
  const withinLimit = (whose: string) => limits.allow(rules.mailTo, `${purpose}:${to}${whose}`, tx);
  if (known) return withinLimit(`:known:${known}`);
  if (from === undefined) return withinLimit('');
  // The asker's count comes first: a refused asker does not use up what is left for others.
  return (await withinLimit(`:from:${from}`)) && limits.allow(rules.mailToByAll, `${purpose}:${to}`, tx);
}
