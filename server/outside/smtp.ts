import type { Mailer } from './mailer.ts';

export function smtpMailer(_url: string, _from: string): Mailer {
  throw new Error('no SMTP yet');
}
