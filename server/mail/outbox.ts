import { and, desc, ne, sql } from 'drizzle-orm';
import { z } from 'zod';
import { mailOutbox } from '#db/schema/house.ts';
import { loopback, type Config } from '../config.ts';
import type { House } from '../context.ts';
import { isLoopback } from '../http/address.ts';

export const outboxQuery = z.object({ to: z.string().trim().max(320).optional() });
export const outboxMailView = z.object({
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  at: z.iso.datetime(),
});
export type OutboxMail = z.infer<typeof outboxMailView>;

const most = 100;

/** What the house has sent while nobody but its own outbox takes its mail; newest first. */
export async function readOutbox(house: House, to: string | undefined): Promise<OutboxMail[]> {
  const rows = await house.db.orm
    .select()
    .from(mailOutbox)
    // Left over from a time with SMTP: wiped when it was sent.
    .where(
      and(ne(mailOutbox.text, ''), to === undefined ? undefined : sql`lower(${mailOutbox.toAddress}) = lower(${to})`),
    )
    .orderBy(desc(mailOutbox.createdAt), desc(mailOutbox.id))
    .limit(most);
  return rows.map(({ toAddress, subject, text, html, createdAt }) => ({
    to: toAddress,
    subject,
    text,
    html,
    at: createdAt.toISOString(),
  }));
}

const forwarding = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/**
 * Mails open accounts: they are shown to people at this machine only. The house must be theirs alone (a proxy may pass
 * others on as if they were local), the connection from here, and the page one of ours: a foreign name that resolves to
 * this machine is somebody else's page.
 */
export function mayReadOutbox(
  config: Pick<Config, 'mail' | 'atHome'>,
  remote: string | undefined,
  header: (name: string) => string | undefined,
): boolean {
  const address = `http://${header('host') ?? ''}`;
  return (
    config.mail.smtpUrl === null &&
    config.atHome &&
    isLoopback(remote) &&
    URL.canParse(address) &&
    loopback(new URL(address).hostname) &&
    forwarding.every((name) => header(name) === undefined)
  );
}
