import { and, asc, count, eq, gt, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm';
import { mailOutbox } from '#db/schema/house.ts';
import { after } from '../clock.ts';
import type { House } from '../context.ts';
import type { Delivery, Mailer } from '../outside/mailer.ts';

/** Milliseconds of real time; due times go by the server's clock. */
export interface Pace {
  /** Time between two polls of the outbox; mails queued in this process wake the worker earlier. */
  poll: number;
  /** Time that stop() gives mails in progress. */
  finish: number;
}
const usual: Pace = { poll: 3_000, finish: 5_000 };

/** Mails sent at once, so that a slow mail server delays few of them. */
const parallel = 4;
/** Seconds for which a claimed mail is reserved for its sender: well above what a mailer needs for one. */
const lease = 120;
/** Seconds until a mail that may have arrived is tried a second and last time. */
const unsurePause = 300;
const keptFor = 7 * 86_400;
const sweepEvery = 3_600;

type Row = typeof mailOutbox.$inferSelect;

/**
 * Seconds until the next attempt: doubled each time from 10 s to 30 min, with randomness so that mails that failed
 * together are not retried together.
 */
export function retryDelay(attempts: number, random = Math.random()): number {
  const [shortest, longest] = [10, 1_800];
  const step = Math.min(shortest * 2 ** Math.max(0, attempts - 1), longest / 1.5);
  return step * (1 + random / 2);
}

/** Sends queued mails. Several processes can share one outbox: a lease gives each mail one sender. */
export function startMail(
  house: Pick<House, 'db' | 'clock' | 'log' | 'metrics'>,
  mailer: Mailer,
  pace: Pace = usual,
): { wake(): void; stop(): Promise<void> } {
  const { clock, log, metrics } = house;
  const { orm } = house.db;
  const waiting = and(isNull(mailOutbox.sentAt), isNull(mailOutbox.failedAt));
  const unclaimed = (now: Date) => or(isNull(mailOutbox.leasedUntil), lte(mailOutbox.leasedUntil, now));
  // The body contains tokens, so it is wiped when nobody needs to read it any more.
  const wiped = mailer.embedded ? {} : { text: '', html: '' };

  async function claim(): Promise<Row | undefined> {
    const now = clock.now();
    const next = orm
      .select({ id: mailOutbox.id })
      .from(mailOutbox)
      .where(and(waiting, lte(mailOutbox.nextAt, now), gt(mailOutbox.expiresAt, now), unclaimed(now)))
      .orderBy(asc(mailOutbox.nextAt))
      .limit(1)
      .for('update', { skipLocked: true });
    const [row] = await orm
      .update(mailOutbox)
      .set({ leasedUntil: after(now, lease), attempts: sql`${mailOutbox.attempts} + 1` })
      .where(eq(mailOutbox.id, next))
      .returning();
    return row;
  }

  async function record(row: Row, delivery: Delivery): Promise<void> {
    const now = clock.now();
    const { id, attempts } = row;
    if (delivery.result === 'sent') {
      // Recorded even if another process holds the lease by now, because the mail has been sent.
      const sent = { sentAt: now, leasedUntil: null, lastError: null, ...wiped };
      await orm
        .update(mailOutbox)
        .set(sent)
        .where(and(eq(mailOutbox.id, id), waiting));
      log.debug({ mail: id, attempts }, 'mail sent');
      return;
    }
    const { result, reason } = delivery;
    const stillOurs = and(eq(mailOutbox.id, id), waiting, eq(mailOutbox.leasedUntil, row.leasedUntil ?? now));
    if (result === 'refused' || (result === 'unsure' && row.unsure)) {
      const failed = { failedAt: now, leasedUntil: null, lastError: reason, ...wiped };
      await orm.update(mailOutbox).set(failed).where(stillOurs);
      log.error({ mail: id, attempts, reason }, 'mail given up');
      return;
    }
    const unsure = row.unsure || result === 'unsure';
    const nextAt = after(now, result === 'unsure' ? unsurePause : retryDelay(attempts));
    await orm.update(mailOutbox).set({ nextAt, leasedUntil: null, unsure, lastError: reason }).where(stillOurs);
    log.warn({ mail: id, attempts, reason, nextAt }, 'mail not sent yet');
  }

  /** Sends one mail; false when none is due. */
  async function sendNext(): Promise<boolean> {
    const row = await claim();
    if (!row) return false;
    if (active < parallel) begin();
    const delivery = await mailer.deliver({ ...row, to: row.toAddress, at: row.createdAt });
    metrics.mails.inc({ result: delivery.result });
    // A sent mail that is not recorded is sent again when its lease expires, so recording it is tried several times.
    for (let seconds = 1; ; seconds *= 2) {
      try {
        await record(row, delivery);
        return true;
      } catch (error) {
        if (stopped || seconds > 16) throw error;
        await pause(seconds * 1000);
      }
    }
  }

  let stopped = false;
  let active = 0;
  let wakeRequested = false;
  const underWay = new Set<Promise<void>>();

  function track(work: () => Promise<void>): void {
    const promise: Promise<void> = work()
      .catch((error: unknown) => log.error({ err: error }, 'the outbox could not be worked on; tried again soon'))
      .finally(() => underWay.delete(promise));
    underWay.add(promise);
  }

  function begin(): void {
    active += 1;
    track(async () => {
      try {
        do {
          wakeRequested = false;
          while (!stopped && (await sendNext()));
        } while (wakeRequested && !stopped);
      } finally {
        active -= 1;
      }
    });
  }

  function wake(): void {
    // The flag makes an idle sender look once more; a new sender starts so that a slow mail server delays nothing.
    wakeRequested = true;
    if (!stopped && active < parallel) begin();
  }

  let nextSweep = clock.now();
  async function tidy(): Promise<void> {
    const now = clock.now();
    // Links of expired mails no longer work, so these mails are not sent.
    const expired = await orm
      .update(mailOutbox)
      .set({ failedAt: now, leasedUntil: null, lastError: 'expired', ...wiped })
      .where(and(waiting, lte(mailOutbox.expiresAt, now), unclaimed(now)))
      .returning({ mail: mailOutbox.id, attempts: mailOutbox.attempts });
    for (const row of expired) log.error({ ...row, reason: 'expired' }, 'mail given up');
    metrics.mails.inc({ result: 'expired' }, expired.length);
    if (now >= nextSweep) {
      nextSweep = after(now, sweepEvery);
      const done = or(isNotNull(mailOutbox.sentAt), isNotNull(mailOutbox.failedAt));
      await orm.delete(mailOutbox).where(and(done, lt(mailOutbox.createdAt, after(now, -keptFor))));
    }
    const [unsent] = await orm.select({ mails: count() }).from(mailOutbox).where(waiting);
    metrics.mailsWaiting.set(unsent?.mails ?? 0);
  }

  let tidying = false;
  function poll(): void {
    wake();
    if (tidying) return;
    tidying = true;
    track(() => tidy().finally(() => (tidying = false)));
  }
  poll();
  const timer = setInterval(poll, pace.poll);
  timer.unref();

  return {
    wake,
    async stop() {
      stopped = true;
      clearInterval(timer);
      const done = Promise.all(underWay);
      await Promise.race([done, pause(pace.finish)]);
      // Mails interrupted here are recorded as not sent and are sent after the next start.
      await mailer.close();
      await Promise.race([done, pause(pace.finish)]);
    },
  };
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
