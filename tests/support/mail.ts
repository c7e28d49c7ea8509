import { Writable } from 'node:stream';
import { asc } from 'drizzle-orm';
import { openDatabase } from '#db/open.ts';
import { mailOutbox } from '#db/schema/house.ts';
import { createLimits, postgresCounter } from '#server/limits.ts';
import { createLog } from '#server/log.ts';
import { startMail, type Pace } from '#server/mail/dispatch.ts';
import { mayMail } from '#server/mail/may-mail.ts';
import { queueMail, type MailOrder } from '#server/mail/queue.ts';
import { createMetrics } from '#server/metrics.ts';
import type { Mailer } from '#server/outside/mailer.ts';
import { newId } from '#shared/ids.ts';
import { MovableClock } from './clock.ts';
import { freshDatabase } from './database.ts';

interface Queued {
  to: string;
  token: string;
}

export const origin = 'https://colloquy.example';

/** Opens an outbox on just a database and a clock, with as many workers as a test starts. */
export async function openOutbox() {
  const { url, database, drop } = await freshDatabase();
  const clock = new MovableClock();
  const metrics = createMetrics();
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = createLog('debug', sink);
  const limits = createLimits(postgresCounter(database, clock), metrics, () => {});
  const house = { db: database, clock, metrics, log, limits, origin: () => origin };
  const undo: (() => Promise<void>)[] = [drop];

  const outbox = {
    url,
    database,
    clock,
    metrics,
    house,
    log: () => lines.join(''),
    /**
     * Queues a mail in a transaction of its own; every mail has a unique token. A limited one is caused by Ben, and only
     * sent within the limits.
     */
    async queue({ limited, ...order }: Partial<MailOrder> & { limited?: boolean } = {}): Promise<Queued> {
      const token = newId();
      const to = order.to ?? `${newId(12).toLowerCase()}@example.test`;
      const mail = order.mail ?? { kind: 'confirm', firstName: 'Ann', token };
      await database.orm.transaction(async (tx) => {
        if (limited && !(await mayMail(house, tx, { purpose: 'shared', to, from: 'ben' }))) return;
        await queueMail(house, tx, { language: null, lifetime: 86_400, ...order, to, mail });
      });
      return { to, token };
    },
    /** Starts a worker with its own connections, as in another process; it polls often. */
    start(mailer: Mailer, pace: Partial<Pace> = {}) {
      const db = openDatabase(url);
      const worker = startMail({ ...house, db }, mailer, { poll: 50, finish: 5_000, ...pace });
      let stopped: Promise<void> | undefined;
      const stop = () => (stopped ??= worker.stop().then(() => db.close()));
      undo.push(stop);
      return { wake: worker.wake, stop };
    },
    rows: () => database.orm.select().from(mailOutbox).orderBy(asc(mailOutbox.createdAt)),
    async row(to: string) {
      const found = (await outbox.rows()).find(({ toAddress }) => toAddress === to);
      if (!found) throw new Error('no such mail in the outbox');
      return found;
    },
    async close(): Promise<void> {
      for (const step of undo.splice(0).toReversed()) await step();
    },
  };
  return outbox;
}

export type TestOutbox = Awaited<ReturnType<typeof openOutbox>>;
