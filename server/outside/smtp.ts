import { Transform } from 'node:stream';
import { createTransport } from 'nodemailer';
import { ConfigError, loopback } from '../config.ts';
import type { Delivery, Mailer } from './mailer.ts';

/** Milliseconds a mail server may take: to let us in, for each answer after that, and for a mail as a whole. */
export interface Patience {
  greeting: number;
  answer: number;
  mail: number;
}
const usual: Patience = { greeting: 5_000, answer: 20_000, mail: 40_000 };

/** A mail server of one's own, spoken to by SMTP, always over TLS unless it is this machine or the address says otherwise. */
export function smtpMailer(address: string, from: string, patience: Patience = usual): Mailer {
  const options = {
    ...serverOf(address),
    // The first counts connecting and the greeting together.
    connectionTimeout: 2 * patience.greeting,
    greetingTimeout: patience.greeting,
    socketTimeout: patience.answer,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  const underWay = new Set<AbortController>();
  return {
    embedded: false,
    async deliver(mail) {
      let handedOver = false;
      const transport = createTransport(options);
      transport.use('stream', ({ message }, done) => {
        message.transform(() => atEnd(() => (handedOver = true)));
        done();
      });
      const control = new AbortController();
      const deadline = setTimeout(() => control.abort(), patience.mail);
      underWay.add(control);
      try {
        await transport.sendMail({
          from,
          // As an object: it is one address, whatever it looks like.
          to: { name: '', address: mail.to },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          messageId: mail.messageId,
          date: mail.at,
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: control.signal,
        });
        return { result: 'sent' };
      } catch (error) {
        return judge(error as Failure, handedOver);
      } finally {
        clearTimeout(deadline);
        underWay.delete(control);
      }
    },
    close() {
      for (const control of underWay) control.abort();
      return Promise.resolve();
    },
  };
}

export function serverOf(address: string) {
  const url = new URL(address);
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  const stray = [...url.searchParams].find(([key, value]) => key !== 'tls' || value !== 'optional');
  if (stray) throw new ConfigError('SMTP_URL has a setting that is not known: the only one is ?tls=optional');
  return {
    host,
    ...(url.port ? { port: Number(url.port) } : {}),
    secure: url.protocol === 'smtps:',
    // Mails carry tokens that open accounts. A certificate that is offered is always checked.
    requireTLS: !loopback(host) && !url.searchParams.has('tls'),
    ...(url.username
      ? { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }
      : {}),
  };
}

/** Passes everything on and tells when all of it has gone through. */
const atEnd = (tell: () => void): Transform =>
  new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, chunk),
    flush: (done) => {
      tell();
      done();
    },
  });

interface Failure {
  code?: string;
  /** What the code was before the mail library gave its own. */
  originalCode?: string;
  command?: string;
  responseCode?: number;
  permanent?: boolean;
}

function judge({ code, originalCode, command, responseCode, permanent }: Failure, handedOver: boolean): Delivery {
  if (responseCode !== undefined) {
    // Refusing to talk, to sign us in or to take our sender is about the house and can be put right; only these two
    // are about this one mail.
    const aboutTheMail = command === 'RCPT TO' || command === 'DATA';
    return { result: permanent && aboutTheMail ? 'refused' : 'retry', reason: `${command} ${responseCode}` };
  }
  const reason = [code ?? 'error', originalCode].filter(Boolean).join(' ');
  return { result: handedOver ? 'unsure' : 'retry', reason };
}
