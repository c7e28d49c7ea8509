import { Transform } from 'node:stream';
import { createTransport } from 'nodemailer';
import { ConfigError, loopback } from '../config.ts';
import type { Delivery, Mailer } from './mailer.ts';

/** Milliseconds for the connection and greeting, for each later answer, and for a mail as a whole. */
export interface Patience {
  greeting: number;
  answer: number;
  mail: number;
}
const usual: Patience = { greeting: 5_000, answer: 20_000, mail: 40_000 };

/** Sends through an SMTP server, always over TLS unless it is on this machine or the address says otherwise. */
export function smtpMailer(address: string, from: string, patience: Patience = usual): Mailer {
  const options = {
    ...serverOf(address),
    // connectionTimeout covers both connection and greeting.
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
          // An object is one address, whatever characters it contains.
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
    // Mails contain tokens that open accounts, so TLS is required. A certificate that is offered is always checked.
    requireTLS: !loopback(host) && !url.searchParams.has('tls'),
    ...(url.username
      ? { auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) } }
      : {}),
  };
}

/** Passes everything through and calls `tell` after the last byte. */
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
  /** Error code before the mail library replaced it. */
  originalCode?: string;
  command?: string;
  responseCode?: number;
  permanent?: boolean;
}

function judge({ code, originalCode, command, responseCode, permanent }: Failure, handedOver: boolean): Delivery {
  if (responseCode !== undefined) {
    // Failures at the greeting, the login or the sender concern the configuration and can be fixed; only these two
    // concern this mail.
    const aboutTheMail = command === 'RCPT TO' || command === 'DATA';
    return { result: permanent && aboutTheMail ? 'refused' : 'retry', reason: `${command} ${responseCode}` };
  }
  const reason = [code ?? 'error', originalCode].filter(Boolean).join(' ');
  return { result: handedOver ? 'unsure' : 'retry', reason };
}
