import type { Orm } from '#db/open.ts';
import { mailOutbox, type NewMail } from '#db/schema/house.ts';
import { newId } from '#shared/ids.ts';
import { after } from '../clock.ts';
import type { House } from '../context.ts';
import { composeMail, type MailKind } from './compose.ts';

export interface MailOrder {
  to: string;
  language: string | null;
  mail: MailKind;
  /** Seconds after which the mail is useless and is not sent any more. */
  lifetime: number;
  /** Key that makes a repeated action send only one mail. */
  dedupeKey?: string;
}

/** Puts a mail into the outbox in the caller's transaction; it is sent after the commit. */
export async function queueMail(house: Pick<House, 'clock' | 'origin'>, tx: Orm, order: MailOrder): Promise<void> {
  await tx.insert(mailOutbox).values(newMail(house, order)).onConflictDoNothing();
}

/** The mail as a row of the outbox, for a transaction that stores it itself. */
export function newMail(house: Pick<House, 'clock' | 'origin'>, order: MailOrder): NewMail {
  const now = house.clock.now();
  const { subject, text, html } = composeMail(order.mail, order.language, house.origin());
  const id = newId();
  const host = new URL(house.origin()).hostname;
  return {
    id,
    dedupeKey: order.dedupeKey ?? null,
    messageId: `<${id}@${host}>`,
    toAddress: order.to,
    subject,
    text,
    html,
    createdAt: now,
    expiresAt: after(now, order.lifetime),
    nextAt: now,
  };
}
