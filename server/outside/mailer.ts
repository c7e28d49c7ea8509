/** One mail, ready to leave. */
export interface Mail {
  messageId: string;
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** `retry`: the other side is away or busy. `refused`: it will never take this mail. */
export type Delivery = { result: 'sent' } | { result: 'retry' | 'refused'; reason: string };

export interface Mailer {
  /** True where mails stay in the house and a page shows them. */
  readonly embedded: boolean;
  deliver(mail: Mail): Promise<Delivery>;
  close(): Promise<void>;
}

/** Without SMTP a mail has arrived when it stands in the outbox: people read it on the page. */
export const embeddedMailer: Mailer = {
  embedded: true,
  deliver: () => Promise.resolve({ result: 'sent' }),
  close: () => Promise.resolve(),
};
