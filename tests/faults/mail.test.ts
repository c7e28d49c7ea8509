// F24: a mail server in trouble gets each mail once when it is well again, and holds up nothing else.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Delivery, Mail, Mailer } from '#server/outside/mailer.ts';
import { smtpMailer } from '#server/outside/smtp.ts';
import { openOutbox, type TestOutbox } from '../support/mail.ts';
import { gone } from '../support/processes.ts';
import { startSmtp, type TestSmtp, type Trouble } from '../support/smtp.ts';

// Rows A10, F24, F25 and S8: each mail leaves once, in time, and nobody waits for it, even if mail servers fail.

/**
 * Short patience, so that a server which never answers is given up soon; other tests use the usual patience, because
 * machines may be slow.
 */
const hasty = { greeting: 300, answer: 2_000, mail: 3_000 };
const from = 'Colloquy <no-reply@colloquy.example>';
const hour = 3_600;
const patient = { timeout: 60_000 };

let outbox: TestOutbox;
let smtp: TestSmtp;
beforeEach(async () => {
  [outbox, smtp] = await Promise.all([openOutbox(), startSmtp()]);
});
afterEach(async () => {
  await outbox.close();
  await smtp.close();
});

const attempts = async (to: string, count: number) => {
  await expect.poll(async () => (await outbox.row(to)).attempts, patient).toBeGreaterThanOrEqual(count);
  await expect.poll(async () => (await outbox.row(to)).leasedUntil, patient).toBeNull();
};
const arrivals = async (count: number) => {
  await expect.poll(() => smtp.arrived.length, patient).toBeGreaterThanOrEqual(count);
};
/**
 * Waits until no mail is being sent: moving the clock would end the lease of a mail that is just being stored as sent.
 */
const quiet = async () => {
  await expect
    .poll(async () => (await outbox.rows()).filter(({ leasedUntil }) => leasedUntil !== null), patient)
    .toEqual([]);
};
const failures = async (to: string) => {
  await expect.poll(async () => (await outbox.row(to)).failedAt, patient).not.toBeNull();
};
/** Repairs the mail server, and continues with a worker of usual patience. */
const recover = async (worker: { stop(): Promise<void> }) => {
  smtp.suffer('none');
  await worker.stop();
  outbox.clock.forward(hour);
  outbox.start(smtpMailer(smtp.url, from));
};
/** Sends one more mail and waits for it: every other mail that was due is claimed before it. */
const nothingElseLeaves = async (expected: number) => {
  smtp.suffer('none');
  for (let round = 0; round < 3; round += 1) {
    await quiet();
    outbox.clock.forward(hour);
    await outbox.queue({ to: `after-${round}@example.test` });
    await arrivals(expected + round + 1);
  }
  await quiet();
  expect(smtp.arrived).toHaveLength(expected + 3);
};

describe('a mail server in trouble (F24)', () => {
  const passing: Trouble[] = ['silent', 'closed', 'busy', 'busy with the mail'];
  it.each(passing)('that is %s gets the mail once, after it recovers', async (trouble) => {
    smtp.suffer(trouble);
    const { to, token } = await outbox.queue();
    const worker = outbox.start(smtpMailer(smtp.url, from, hasty));
    for (let round = 1; round <= 3; round += 1) {
      await attempts(to, round);
      outbox.clock.forward(hour);
    }
    expect(smtp.arrived).toEqual([]);
    expect(await outbox.row(to)).toMatchObject({ sentAt: null, failedAt: null });

    await recover(worker);
    await arrivals(1);
    expect(smtp.arrived[0]?.mail.text).toContain(token);
    await nothingElseLeaves(1);
  });

  it('that is down gets the mail once, after it is up again', async () => {
    const { port } = smtp;
    await smtp.close();
    const { to } = await outbox.queue();
    outbox.start(smtpMailer(`smtp://127.0.0.1:${port}`, from));
    await attempts(to, 1);
    outbox.clock.forward(hour);
    await attempts(to, 2);
    expect((await outbox.row(to)).lastError).toBe('ESOCKET ECONNREFUSED');

    smtp = await startSmtp({ port });
    outbox.clock.forward(hour);
    await arrivals(1);
    await nothingElseLeaves(1);
  });

  it('that does not know our password gets the mail once it does', async () => {
    smtp.suffer('stranger');
    const { to } = await outbox.queue();
    outbox.start(smtpMailer(smtp.url.replace('//', '//house:secret@'), from));
    await attempts(to, 1);
    expect(await outbox.row(to)).toMatchObject({ failedAt: null, lastError: 'AUTH PLAIN 535' });
    smtp.suffer('none');
    outbox.clock.forward(hour);
    await arrivals(1);
  });

  it('that sends a line now and then, for ever, is given up', async () => {
    const drip = createServer((socket) => {
      let timer: NodeJS.Timeout | undefined;
      socket.write('220 hello\r\n');
      socket.once('data', () => (timer = setInterval(() => socket.write('250-wait\r\n'), 20)));
      socket.on('error', () => {}).on('close', () => clearInterval(timer));
    });
    drip.listen(0, '127.0.0.1');
    await once(drip, 'listening');
    const { port } = drip.address() as AddressInfo;
    try {
      const { to } = await outbox.queue();
      outbox.start(smtpMailer(`smtp://127.0.0.1:${port}`, from, { ...hasty, greeting: 5_000 }));
      await attempts(to, 1);
      expect(await outbox.row(to)).toMatchObject({ sentAt: null, failedAt: null, lastError: 'EABORT' });
    } finally {
      drip.close();
    }
  });

  const final: Trouble[] = ['refuses the recipient', 'refuses the mail'];
  it.each(final)('that %s is not asked again, and other mails still leave', async (trouble) => {
    smtp.suffer(trouble);
    const { to, token } = await outbox.queue();
    outbox.start(smtpMailer(smtp.url, from));
    await failures(to);
    const row = await outbox.row(to);
    expect(row).toMatchObject({ attempts: 1, sentAt: null, text: '', html: '' });
    expect(row.lastError).toMatch(/^(RCPT TO 550|DATA 554)$/);
    expect(JSON.stringify(row)).not.toContain(token);
    await nothingElseLeaves(0);
  });

  it.each([
    ['in place of the words', { secure: true }, (url: string) => url.replace('smtp:', 'smtps:')],
    ['offered on the way', { disabledCommands: [] }, (url: string) => url],
  ])('with a certificate nobody vouches for, %s, gets nothing', async (_, options, address) => {
    const shady = await startSmtp(options);
    try {
      const { to } = await outbox.queue();
      outbox.start(smtpMailer(address(shady.url), from));
      await attempts(to, 1);
      expect(await outbox.row(to)).toMatchObject({ sentAt: null, failedAt: null });
      expect((await outbox.row(to)).lastError).toMatch(/^(ESOCKET|ETLS)\b/);
      expect(shady.arrived).toEqual([]);
    } finally {
      await shady.close();
    }
  });
});

describe('a line that breaks when the mail server has all of the mail (F25)', () => {
  it.each(['cut', 'mute'] as const)('once (%s): it comes at most twice, as one and the same', async (trouble) => {
    smtp.suffer(trouble);
    const { to } = await outbox.queue();
    const worker = outbox.start(smtpMailer(smtp.url, from, { ...hasty, greeting: 5_000, mail: 10_000 }));
    await attempts(to, 1);
    expect(await outbox.row(to)).toMatchObject({ unsure: true, sentAt: null });
    await recover(worker);
    await arrivals(2);
    await nothingElseLeaves(2);
    const twins = smtp.arrived.filter(({ envelope }) => envelope.to.includes(to));
    expect(twins).toHaveLength(2);
    expect(new Set(twins.map(({ mail }) => mail.messageId)).size).toBe(1);
    expect(twins[0]?.mail.messageId).toBe((await outbox.row(to)).messageId);
  });

  it('every time: it comes twice and no more, also when other trouble lies between', async () => {
    smtp.suffer('cut');
    const { to, token } = await outbox.queue();
    outbox.start(smtpMailer(smtp.url, from));
    await attempts(to, 1);
    smtp.suffer('busy');
    outbox.clock.forward(hour);
    await attempts(to, 2);
    smtp.suffer('cut');
    outbox.clock.forward(hour);
    await failures(to);
    expect(JSON.stringify(await outbox.rows())).not.toContain(token);
    expect(smtp.arrived).toHaveLength(2);
    await nothingElseLeaves(2);
  });
});

describe('mail that is away for a day (A10)', () => {
  it('leaves once afterwards where its link still works, and not at all where it is dead', async () => {
    smtp.suffer('busy');
    const reset = await outbox.queue({ to: 'reset@example.test', lifetime: hour });
    const confirm = await outbox.queue({ to: 'confirm@example.test', lifetime: 24 * hour });
    const invitation = await outbox.queue({ to: 'invitation@example.test', lifetime: 14 * 24 * hour });
    const worker = outbox.start(smtpMailer(smtp.url, from));
    for (const { to } of [reset, confirm, invitation]) await attempts(to, 1);
    for (let hours = 0; hours < 26; hours += 1) {
      outbox.clock.forward(hour);
      worker.wake();
      await attempts(invitation.to, hours + 2);
    }
    smtp.suffer('none');
    outbox.clock.forward(hour);
    await arrivals(1);
    await failures(reset.to);
    await failures(confirm.to);
    expect(await outbox.row(reset.to)).toMatchObject({ lastError: 'expired', text: '', html: '', sentAt: null });
    expect(await outbox.row(confirm.to)).toMatchObject({ lastError: 'expired', text: '', html: '', sentAt: null });
    expect(smtp.arrived[0]?.mail.text).toContain(invitation.token);
    await nothingElseLeaves(1);
  });

  it('does not leave after it has expired, even if it was not deleted yet', async () => {
    const worker = outbox.start(smtpMailer(smtp.url, from), { poll: 3_600_000 });
    const first = await outbox.queue();
    worker.wake();
    await arrivals(1);
    await quiet();
    const { to } = await outbox.queue({ lifetime: hour });
    outbox.clock.forward(hour);
    await outbox.queue();
    worker.wake();
    await arrivals(2);
    expect(smtp.arrived.map(({ envelope }) => envelope.to)).not.toContainEqual([to]);
    expect(await outbox.row(to)).toMatchObject({ attempts: 0, sentAt: null, failedAt: null });
    expect((await outbox.row(first.to)).sentAt).not.toBeNull();
    await worker.stop();
    outbox.start(smtpMailer(smtp.url, from));
    await failures(to);
    await nothingElseLeaves(2);
  });
});

describe('several that send from one outbox', () => {
  it('send each of 200 mails once', async () => {
    // Ten at a time: the pool refuses a crowd that waits too long, and this is not about the pool.
    for (let i = 0; i < 200; i += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, j) => outbox.queue({ to: `p${i + j}@example.test` })));
    }
    const workers = [1, 2, 3].map(() => outbox.start(smtpMailer(smtp.url, from)));
    await arrivals(200);
    await Promise.all(workers.map(({ stop }) => stop()));
    const addresses = smtp.arrived.flatMap(({ envelope }) => envelope.to);
    expect(addresses).toHaveLength(200);
    expect(new Set(addresses).size).toBe(200);
    expect((await outbox.rows()).filter(({ sentAt, attempts: tries }) => sentAt === null || tries !== 1)).toEqual([]);
  });

  it('leave a mail to the one who has it, and take it over when that one was killed', async () => {
    const { to } = await outbox.queue();
    const child = spawn(process.execPath, ['--import', 'tsx', 'tests/support/mail-child.ts', outbox.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    expect(line).toBe(`has ${(await outbox.row(to)).messageId}`);
    child.kill('SIGKILL');
    await gone(child.pid ?? 0);

    outbox.start(smtpMailer(smtp.url, from));
    await outbox.queue({ to: 'other@example.test' });
    await arrivals(1);
    expect(smtp.arrived.map(({ envelope }) => envelope.to)).toEqual([['other@example.test']]);
    await expect.poll(async () => (await outbox.row('other@example.test')).sentAt, patient).not.toBeNull();
    outbox.clock.forward(180);
    await arrivals(2);
    expect(smtp.arrived[1]?.envelope.to).toEqual([to]);
    await nothingElseLeaves(2);
  });

  /** A mailer whose deliveries end when the test says so, and as it says. */
  function heldMailer() {
    const held: { mail: Mail; end: (delivery: Delivery) => void }[] = [];
    const mailer: Mailer = {
      embedded: false,
      deliver: (mail) => new Promise((end) => held.push({ mail, end })),
      close: () => Promise.resolve(),
    };
    return { mailer, held };
  }

  it.each([
    [{ result: 'retry', reason: 'late' }],
    [{ result: 'refused', reason: 'late' }],
    [{ result: 'sent' }],
  ] satisfies [Delivery][])('are not disturbed by one that wakes up late and says %j', async (late) => {
    const { mailer, held } = heldMailer();
    const { to } = await outbox.queue();
    outbox.start(mailer);
    await expect.poll(() => held.length).toBe(1);
    outbox.clock.forward(180);
    outbox.start(smtpMailer(smtp.url, from));
    // Either worker may claim it now, but only one of them.
    await expect.poll(() => held.length + smtp.arrived.length).toBe(2);
    held[0]?.end(late);
    held[1]?.end({ result: 'sent' });
    await expect.poll(async () => (await outbox.row(to)).sentAt).not.toBeNull();
    expect(await outbox.row(to)).toMatchObject({ failedAt: null, attempts: 2 });
  });

  it('do not let one slow mail hold up the others', async () => {
    const { mailer, held } = heldMailer();
    const worker = outbox.start(mailer);
    await outbox.queue();
    await expect.poll(() => held.length).toBe(1);
    const late = await outbox.queue();
    worker.wake();
    await expect.poll(() => held.map(({ mail }) => mail.to)).toContain(late.to);
    for (const { end } of held) end({ result: 'sent' });
  });

  it('let a mail under way finish when they are stopped', async () => {
    const { mailer, held } = heldMailer();
    const { to } = await outbox.queue();
    const worker = outbox.start(mailer);
    await expect.poll(() => held.length).toBe(1);
    const stopped = worker.stop();
    await outbox.queue();
    held[0]?.end({ result: 'sent' });
    await stopped;
    expect((await outbox.row(to)).sentAt).not.toBeNull();
    expect(held).toHaveLength(1);
  });

  it('break off a mail that does not finish, and send it with the next start', async () => {
    smtp.suffer('silent');
    const { to } = await outbox.queue();
    const worker = outbox.start(smtpMailer(smtp.url, from), { finish: 100 });
    await expect.poll(smtp.tries).toBe(1);
    await worker.stop();
    expect(await outbox.row(to)).toMatchObject({ leasedUntil: null, sentAt: null, lastError: 'EABORT' });
    smtp.suffer('none');
    outbox.start(smtpMailer(smtp.url, from));
    outbox.clock.forward(60);
    await arrivals(1);
    await nothingElseLeaves(1);
  });
});

describe('a database that is away', () => {
  it('loses no mail, and what was sent meanwhile is noted when it is back', async () => {
    const sent: string[] = [];
    let during: (() => Promise<void>) | null = async () => {
      const others = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
      await outbox.database.sql.unsafe(others);
    };
    outbox.start({
      embedded: false,
      async deliver({ to }) {
        const first = during;
        during = null;
        await first?.();
        sent.push(to);
        return { result: 'sent' };
      },
      close: () => Promise.resolve(),
    });
    await outbox.queue({ to: 'ann@example.test' });
    await outbox.queue({ to: 'ben@example.test' });
    await expect
      .poll(async () => (await outbox.rows().catch(() => [])).filter(({ sentAt }) => sentAt !== null), patient)
      .toHaveLength(2);
    expect(sent.toSorted()).toEqual(['ann@example.test', 'ben@example.test']);
  });
});

describe('many requests that send mail at once', () => {
  it('do not wait for each other for ever, and one address gets three mails an hour', async () => {
    const orders = Array.from({ length: 40 }, (_, i) => ({ to: `p${i % 5}@example.test`, limited: true }));
    await Promise.all(orders.map((order) => outbox.queue(order)));
    const rows = await outbox.rows();
    expect(rows).toHaveLength(15);
    outbox.clock.forward(hour);
    await outbox.queue(orders[0]);
    expect(await outbox.rows()).toHaveLength(16);
  });

  it('count towards the limit only when they succeed', async () => {
    const to = 'ann@example.test';
    for (let i = 0; i < 5; i += 1) {
      const failing = outbox.queue({ to, limited: true, lifetime: Number.NaN });
      await expect(failing).rejects.toThrow();
    }
    await outbox.queue({ to, limited: true });
    expect(await outbox.rows()).toHaveLength(1);
  });
});

describe('logs about mail (S8)', () => {
  it('names neither address, subject, body nor token in any log line or reason', async () => {
    const troubles: Trouble[] = [
      'none',
      'closed',
      'busy',
      'busy with the mail',
      'refuses the recipient',
      'refuses the mail',
      'cut',
      'stranger',
    ];
    const worker = outbox.start(smtpMailer(smtp.url.replace('//', '//house:canary-password@'), from));
    for (const trouble of troubles) {
      smtp.suffer(trouble);
      const { to } = await outbox.queue({
        to: `canary-${trouble.replaceAll(' ', '-')}@example.test`,
        mail: { kind: 'invitation', inviter: 'Canary Demo', what: 'team', token: 'canary-token' },
      });
      worker.wake();
      await attempts(to, 1);
    }
    outbox.clock.forward(2 * 86_400);
    await expect
      .poll(async () => (await outbox.rows()).filter(({ sentAt, failedAt }) => sentAt === null && failedAt === null))
      .toEqual([]);
    const log = outbox.log();
    expect(log).toContain('mail not sent yet');
    expect(log).toContain('mail given up');
    expect(log).toContain('mail sent');
    expect(log).not.toMatch(/canary|invites you/i);
    expect((await outbox.rows()).map(({ lastError }) => lastError).join()).not.toMatch(/canary/i);
  });

  it('are figures by what became of them', async () => {
    smtp.suffer('refuses the mail');
    const { to } = await outbox.queue();
    const worker = outbox.start(smtpMailer(smtp.url, from));
    await failures(to);
    smtp.suffer('none');
    await outbox.queue();
    worker.wake();
    await arrivals(1);
    await expect.poll(() => outbox.metrics.registry.metrics()).toMatch(/colloquy_mails_total\{result="sent"\} 1/);
    const figures = await outbox.metrics.registry.metrics();
    expect(figures).toMatch(/colloquy_mails_total\{result="refused"\} 1/);
    await expect.poll(() => outbox.metrics.registry.metrics()).toMatch(/colloquy_mails_waiting 0/);
  });
});
