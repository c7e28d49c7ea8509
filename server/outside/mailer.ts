/** A mail that is ready to send. */
export interface Mail {
  messageId: string;
  /** Time of its creation; the times in its text count from here, however late it is sent. */
  at: Date;
  to: string;
  subject: string;
  text: string;
  html: string;
}

/**
 * `retry`: the server is unreachable or busy. `refused`: it will never accept this mail. `unsure`: the connection broke
 * after the whole mail was sent, so it may have accepted it. The reason is stored and logged: it contains codes, never
 * an address or text.
 */
export type Delivery = { result: 'sent' } | { result: 'retry' | 'refused' | 'unsure'; reason: string };

export interface Mailer {
  /** True if mails stay in the outbox and a page shows them. */
  readonly embedded: boolean;
  /** Takes a bounded time and never throws. */
  deliver(mail: Mail): Promise<Delivery>;
  /** Aborts deliveries in progress. */
  close(): Promise<void>;
}

/** Mailer without SMTP: a mail counts as sent once it is in the outbox, where a page shows it. */
export const embeddedMailer: Mailer = {
  embedded: true,
  deliver: () => Promise.resolve({ result: 'sent' }),
  close: () => Promise.resolve(),
};
