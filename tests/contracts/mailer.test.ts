// One contract for every mailer, the outbox and SMTP: each mail once, as written, only after its transaction.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { composeMail } from '#server/mail/compose.ts';
import { readOutbox } from '#server/mail/outbox.ts';
import { queueMail, type MailOrder } from '#server/mail/queue.ts';
import { embeddedMailer, type Mailer } from '#server/outside/mailer.ts';
import { smtpMailer } from '#server/outside/smtp.ts';
import { languageNames, type Language } from '#shared/i18n/languages.ts';
import { openOutbox, origin, type TestOutbox } from '../support/mail.ts';
import { startSmtp, type TestSmtp } from '../support/smtp.ts';

interface Read {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** A mailer, and a way to read what it delivered. */
interface Kind {
  name: string;
  open(outbox: TestOutbox): Promise<{ mailer: Mailer; arrived(): Promise<Read[]>; close(): Promise<void> }>;
}

const kinds: Kind[] = [
  {
    name: 'the embedded mailer',
    open: (outbox) =>
      Promise.resolve({
        mailer: embeddedMailer,
        async arrived() {
          const sent = new Set((await outbox.rows()).filter((row) => row.sentAt).map((row) => row.toAddress));
          return (await readOutbox(outbox.house, undefined)).filter(({ to }) => sent.has(to));
        },
        close: () => Promise.resolve(),
      }),
  },
  {
    name: 'SMTP',
    async open() {
      const smtp = await startSmtp();
      return {
        mailer: smtpMailer(smtp.url, 'Colloquy <no-reply@colloquy.example>'),
        arrived: () =>
          Promise.resolve(
            smtp.arrived.map(({ envelope, mail }) => ({
              to: envelope.to.join(),
              subject: mail.subject ?? '',
              text: mail.text ?? '',
              html: mail.html ?? '',
            })),
          ),
        close: smtp.close,
      };
    },
  },
];

// Line ends depend on the transport.
const lines = (text: string) => text.replaceAll('\r\n', '\n').trimEnd();

describe.each(kinds)('$name', ({ open }) => {
  let outbox: TestOutbox;
  let place: Awaited<ReturnType<Kind['open']>>;
  beforeEach(async () => {
    outbox = await openOutbox();
    place = await open(outbox);
  });
  afterEach(async () => {
    await outbox.close();
    await place.close();
  });
  const arrivals = async (count: number) => {
    await expect.poll(place.arrived, { timeout: 10_000 }).toHaveLength(count);
  };

  it('delivers every mail as it was written, in every language', async () => {
    const written = new Map<string, Read>();
    for (const language of Object.keys(languageNames) as Language[]) {
      const mail = { kind: 'invitation', inviter: 'Zoë 陈 Ñandú 👋', what: 'team', token: `${language}-t` } as const;
      const to = `${language}@example.test`;
      written.set(to, { to, ...composeMail(mail, language, origin) });
      await outbox.queue({ to, language, mail });
    }
    outbox.start(place.mailer);
    await arrivals(written.size);
    for (const { to, subject, text, html } of await place.arrived()) {
      const expected = written.get(to);
      expect(subject).toBe(expected?.subject);
      expect(lines(text)).toBe(lines(expected?.text ?? ''));
      expect(lines(html)).toBe(lines(expected?.html ?? ''));
    }
  });

  it('delivers a mail that was queued before it started, and one that it is woken for', async () => {
    const early = await outbox.queue();
    const worker = outbox.start(place.mailer);
    await arrivals(1);
    const late = await outbox.queue();
    worker.wake();
    await arrivals(2);
    expect(new Set((await place.arrived()).map(({ to }) => to))).toEqual(new Set([early.to, late.to]));
  });

  it('delivers nothing of a transaction that failed', async () => {
    const order: MailOrder = {
      to: 'never@example.test',
      language: null,
      lifetime: 3600,
      mail: { kind: 'password-changed', firstName: 'Ann' },
    };
    const failed = outbox.database.orm.transaction(async (tx) => {
      await queueMail(outbox.house, tx, order);
      throw new Error('something else went wrong');
    });
    await expect(failed).rejects.toThrow('something else');
    await outbox.queue({ to: 'after@example.test' });
    outbox.start(place.mailer);
    await arrivals(1);
    expect((await place.arrived()).map(({ to }) => to)).toEqual(['after@example.test']);
    expect(await outbox.rows()).toHaveLength(1);
  });

  it('delivers one mail for one action, however often it is repeated', async () => {
    await Promise.all(Array.from({ length: 8 }, () => outbox.queue({ to: 'ann@example.test', dedupeKey: 'deed-1' })));
    await outbox.queue({ to: 'ben@example.test', dedupeKey: 'deed-2' });
    outbox.start(place.mailer);
    await arrivals(2);
    expect((await place.arrived()).map(({ to }) => to).toSorted()).toEqual(['ann@example.test', 'ben@example.test']);
  });

  it('stops with nothing half done, and continues with the next start', async () => {
    const worker = outbox.start(place.mailer);
    await outbox.queue();
    await arrivals(1);
    await worker.stop();
    await outbox.queue();
    expect((await outbox.rows()).map(({ sentAt, leasedUntil }) => [sentAt !== null, leasedUntil])).toEqual([
      [true, null],
      [false, null],
    ]);
    outbox.start(place.mailer);
    await arrivals(2);
  });
});

describe('the database row of a mail', () => {
  let outbox: TestOutbox;
  beforeEach(async () => {
    outbox = await openOutbox();
  });
  afterEach(() => outbox.close());
  const settled = async (count: number) => {
    await expect
      .poll(async () => (await outbox.rows()).filter((row) => row.sentAt ?? row.failedAt))
      .toHaveLength(count);
  };

  it('is complete for a week where people read the outbox', async () => {
    const first = await outbox.queue();
    outbox.start(embeddedMailer);
    await settled(1);
    outbox.clock.forward(0.2 * 86_400);
    const second = await outbox.queue();
    await settled(2);
    outbox.clock.forward(6.9 * 86_400);
    await expect.poll(outbox.rows).toHaveLength(1);
    expect(await readOutbox(outbox.house, first.to)).toEqual([]);
    expect((await readOutbox(outbox.house, second.to))[0]?.text).toContain(second.token);
  });

  it('has no token, and after a week no address, once a mail server has the mail', async () => {
    const smtp = await startSmtp();
    try {
      const sent = await outbox.queue();
      outbox.start(smtpMailer(smtp.url, 'no-reply@colloquy.example'));
      await settled(1);
      expect(JSON.stringify(await outbox.rows())).not.toContain(sent.token);
      expect(await readOutbox(outbox.house, undefined)).toEqual([]);
      outbox.clock.forward(7.1 * 86_400);
      await expect.poll(outbox.rows).toEqual([]);
    } finally {
      await smtp.close();
    }
  });

  it('is kept until the mail has been sent, however old', async () => {
    const smtp = await startSmtp();
    try {
      smtp.suffer('busy');
      const { to } = await outbox.queue({ lifetime: 14 * 86_400 });
      outbox.start(smtpMailer(smtp.url, 'no-reply@colloquy.example'));
      // Only then it waits for its next time, which the clock passes.
      await expect.poll(async () => (await outbox.row(to)).lastError).not.toBeNull();
      smtp.suffer('none');
      outbox.clock.forward(10 * 86_400);
      await expect.poll(() => smtp.arrived.length).toBe(1);
    } finally {
      await smtp.close();
    }
  });
});

describe('on the wire', () => {
  let smtp: TestSmtp;
  beforeEach(async () => {
    smtp = await startSmtp();
  });
  afterEach(() => smtp.close());
  const mail = {
    messageId: '<fixed-id@colloquy.example>',
    at: new Date('2026-03-04T05:06:07Z'),
    to: 'ann@example.test',
    subject: 'Подтвердите',
    text: 'line one\n\n.dot\nFrom here',
    html: '<p>line</p>',
  };

  it('a mail has its sender, the time it was queued, and a header that a machine wrote it', async () => {
    const mailer = smtpMailer(smtp.url, 'Colloquy <no-reply@colloquy.example>');
    expect(await mailer.deliver(mail)).toEqual({ result: 'sent' });
    const [got] = smtp.arrived;
    expect(got?.envelope).toEqual({ from: 'no-reply@colloquy.example', to: ['ann@example.test'] });
    expect(got?.mail).toMatchObject({
      from: { name: 'Colloquy', address: 'no-reply@colloquy.example' },
      to: [{ name: '', address: 'ann@example.test' }],
      messageId: mail.messageId,
      date: '2026-03-04T05:06:07.000Z',
      subject: mail.subject,
    });
    expect(got?.mail.headers).toContainEqual(
      expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
    );
    expect(lines(got?.mail.text ?? '')).toBe(mail.text);
  });

  it.each(['ann@example.test, ben@example.test', 'Ben <ben@example.test>', '"ann@example.test"@elsewhere.test'])(
    'no mail goes to a part of an address: %s',
    async (to) => {
      const mailer = smtpMailer(smtp.url, 'no-reply@colloquy.example');
      await mailer.deliver({ ...mail, to });
      expect(smtp.arrived.flatMap(({ envelope }) => envelope.to).filter((address) => address !== to)).toEqual([]);
    },
  );

  it('signs in with the credentials in the address', async () => {
    const seen: unknown[] = [];
    const strict = await startSmtp({
      authOptional: false,
      onAuth(auth, _session, done) {
        seen.push([auth.username, auth.password]);
        done(null, { user: 'house' });
      },
    });
    try {
      const address = strict.url.replace('//', '//ho%40use:p%2Fss%3A@');
      expect(await smtpMailer(address, 'no-reply@colloquy.example').deliver(mail)).toEqual({ result: 'sent' });
      expect(seen).toEqual([['ho@use', 'p/ss:']]);
    } finally {
      await strict.close();
    }
  });
});
