/** One mail, ready to leave. */
export interface Mail {
  messageId: string;
  /** When it was decided on: the times it speaks of count from here, however late it leaves. */
  at: Date;
  to: string;
  subject: string;
  text: string;
  html: string;
}

/**
 * `retry`: the other side is away or busy. `refused`: it will never take this mail. `unsure`: it had all of the mail when
 * the line broke, so it may have taken it. A reason is kept and logged: it names codes, never an address or a text.
 */
export type Delivery = { result: 'sent' } | { result: 'retry' | 'refused' | 'unsure'; reason: string };

export interface Mailer {
  /** True where mails stay in the house and a page shows them. */
  readonly embedded: boolean;
  /** Takes a bounded time and never throws. */
  deliver(mail: Mail): Promise<Delivery>;
  /** Breaks off what is still under way. */
  close(): Promise<void>;
}

/** Without SMTP a mail has arrived when it stands in the outbox: people read it on the page. */
export const embeddedMailer: Mailer = {
  embedded: true,
  deliver: () => Promise.resolve({ result: 'sent' }),
  close: () => Promise.resolve(),
};
