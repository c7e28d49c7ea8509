import { and, desc, ne, sql } from 'drizzle-orm';
import { z } from 'zod';
import { mailOutbox } from '#db/schema/house.ts';
import { limits } from '#shared/accounts.ts';
import type { Config } from '../config.ts';
import type { House } from '../context.ts';
import { fromHome } from '../http/home.ts';

export const outboxQuery = z.object({ to: z.string().trim().max(limits.emailLength, 'too_long').optional() });
export const outboxMailView = z.object({
  id: z.string(),
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  at: z.iso.datetime(),
});
type OutboxMail = z.infer<typeof outboxMailView>;

const most = 100;

/** What the house has sent while nobody but its own outbox takes its mail; newest first. */
export async function readOutbox(house: Pick<House, 'db'>, to: string | undefined): Promise<OutboxMail[]> {
  const rows = await house.db.orm
    .select()
    .from(mailOutbox)
    // Left over from a time with SMTP: wiped when it was sent.
    .where(
      and(ne(mailOutbox.text, ''), to === undefined ? undefined : sql`lower(${mailOutbox.toAddress}) = lower(${to})`),
    )
    .orderBy(desc(mailOutbox.createdAt), desc(mailOutbox.id))
    .limit(most);
  return rows.map(({ id, toAddress, subject, text, html, createdAt }) => ({
    id,
    to: toAddress,
    subject,
    text,
    html,
    at: createdAt.toISOString(),
  }));
}

/** Mails open accounts: they are shown to people at this machine only, and only while mail stays in the house. */
export function mayReadOutbox(
  config: Pick<Config, 'mail' | 'atHome'>,
  remote: string | undefined,
  header: (name: string) => string | undefined,
): boolean {
  return config.mail.smtpUrl === null && fromHome(config, remote, header);
}
