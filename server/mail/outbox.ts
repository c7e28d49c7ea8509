import { and, desc, ne, sql } from 'drizzle-orm';
import { z } from 'zod';
import { mailOutbox } from '#db/schema/house.ts';
import { limits } from '#shared/accounts.ts';
import type { Config } from '../config.ts';
import type { House } from '../context.ts';
import { fromHome } from '../http/home.ts';

export const outboxQuery = z.strictObject({ to: z.string().trim().max(limits.emailLength, 'too_long').optional() });
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

/** Mails sent while no SMTP server is configured, newest first. */
export async function readOutbox(house: Pick<House, 'db'>, to: string | undefined): Promise<OutboxMail[]> {
  const rows = await house.db.orm
    .select()
    .from(mailOutbox)
    // Mails from a time with SMTP are skipped: their text was wiped when they were sent.
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

/** Mails contain links that open accounts, so the outbox is shown only on this machine and only without SMTP. */
export function mayReadOutbox(
  config: Pick<Config, 'mail' | 'atHome'>,
  remote: string | undefined,
  header: (name: string) => string | undefined,
): boolean {
  return config.mail.smtpUrl === null && fromHome(config, remote, header);
}
