import { and, asc, eq, gt, inArray, lte, or, sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { jobs } from '#db/schema/jobs.ts';
import { storeLeftovers } from '#db/schema/media.ts';
import { newId } from '#shared/ids.ts';
import { after } from './clock.ts';
import { transaction, type House } from './context.ts';

export type Job = typeof jobs.$inferSelect;

/** What a job is done with. */
export interface Work {
  job: Job;
  /** Aborted when nothing that is done any more counts: cancelled, too late, taken over, or the house stops. */
  signal: AbortSignal;
  /** Says what is done next. */
  step(name: string): Promise<void>;
  /** A name in the store that is remembered: what lies there and is nobody's in the end is cleared away. */
  newKey(): Promise<string>;
  /** The last step: what it writes is written together with the job's end, or not at all. */
  finish(write: (tx: Orm) => Promise<void>): Promise<void>;
}

export interface Kind {
  /** All tries together. */
  seconds: number;
  run(work: Work): Promise<void>;
  /** Within the transaction that notes that nothing came of it; `failure` is a key of the texts. */
  failed(tx: Orm, job: Job, failure: string): Promise<void>;
}

/** Trying it again would change nothing; why, as a key of the texts. */
export class JobFailed extends Error {
  override name = 'JobFailed';
  readonly failure: string;

  constructor(failure: string, cause?: unknown) {
    super(failure, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

/** Nothing of it counts any more. */
class Lost extends Error {
  override name = 'Lost';
}

export interface Pace {
  /** Milliseconds of real time between two looks at the table; whoever queues a job also wakes us. */
  poll: number;
  /** The same between two renewals of a lease. */
  beat: number;
  /** Seconds a lease lasts by the house's clock. */
  lease: number;
  /** Seconds before the second try; doubled for each one after it. */
  pause: number;
}
const usual: Pace = { poll: 3000, beat: 5000, lease: 30, pause: 10 };

const mostAttempts = 3;
const channel = 'colloquy_jobs';
const open = ['waiting', 'running'] as const;

/** Part of the caller's transaction; it begins when that has committed, in whatever process is free. */
export async function queueJob(tx: Orm, kind: string, meetingId: string, now: Date): Promise<void> {
  await tx.insert(jobs).values({ id: newId(), kind, meetingId, state: 'waiting', nextAt: now, createdAt: now });
  await tx.execute(sql`select pg_notify(${channel}, '')`);
}

/** Whoever works on one of a meeting's is told within seconds; what it made is cleared away. True where there was one. */
export async function cancelJobs(tx: Orm, meetingId: string, now: Date): Promise<boolean> {
  const cancelled = await tx
    .update(jobs)
    .set({ state: 'cancelled', lease: null, leasedUntil: null, finishedAt: now })
    .where(and(eq(jobs.meetingId, meetingId), inArray(jobs.state, open)))
    .returning({ storeKeys: jobs.storeKeys });
  if (cancelled.length === 0) return false;
  await leave(
    tx,
    cancelled.flatMap(({ storeKeys }) => storeKeys),
  );
  await tx.execute(sql`select pg_notify(${channel}, '')`);
  return true;
}

/** Those that a recording has taken over are passed over by whoever sweeps. */
async function leave(tx: Orm, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx
    .insert(storeLeftovers)
    .values(keys.map((key) => ({ key })))
    .onConflictDoNothing();
}

/** Does what stands in the table, also beside others who do so on the same database: each job has one worker. */
export async function startJobs(
  house: House,
  kinds: Readonly<Record<string, Kind>>,
  pace: Pace = usual,
): Promise<{ stop(): Promise<void> }> {
  const { clock, log, db } = house;
  let stopped = false;
  let news = false;
  let working: Promise<void> | null = null;
  let look: (() => void) | null = null;

  async function claim(): Promise<Job | undefined> {
    const now = clock.now();
    const due = or(
      and(eq(jobs.state, 'waiting'), lte(jobs.nextAt, now)),
      and(eq(jobs.state, 'running'), lte(jobs.leasedUntil, now)),
    );
    const next = db.orm
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(due, inArray(jobs.kind, Object.keys(kinds))))
      .orderBy(asc(jobs.nextAt))
      .limit(1)
      .for('update', { skipLocked: true });
    const [job] = await db.orm
      .update(jobs)
      .set({
        state: 'running',
        attempts: sql`${jobs.attempts} + 1`,
        lease: newId(),
        leasedUntil: after(now, pace.lease),
      })
      .where(eq(jobs.id, next))
      .returning();
    return job;
  }

  const ours = ({ id, lease }: Job) => and(eq(jobs.id, id), eq(jobs.lease, lease ?? ''), eq(jobs.state, 'running'));

  async function renew(job: Job, fields: Partial<typeof jobs.$inferInsert> = {}): Promise<void> {
    const kept = await db.orm
      .update(jobs)
      .set({ leasedUntil: after(clock.now(), pace.lease), ...fields })
      .where(ours(job))
      .returning({ id: jobs.id });
    if (kept.length === 0) throw new Lost();
  }

  /** Together with what belongs to it, and only while the job is ours. */
  async function end(job: Job, state: 'done' | 'failed', error: string | null, write: (tx: Orm) => Promise<void>) {
    await transaction(house, async (tx) => {
      const [held] = await tx
        .update(jobs)
        .set({ state, error, lease: null, leasedUntil: null, finishedAt: clock.now() })
        .where(ours(job))
        .returning({ storeKeys: jobs.storeKeys });
      if (!held) throw new Lost();
      await write(tx);
      await leave(tx, held.storeKeys);
    });
  }

  async function fail(job: Job, kind: Kind, failure: string, error: unknown): Promise<void> {
    log.error({ err: error, job: job.id, kind: job.kind, meeting: job.meetingId, failure }, 'a job failed');
    await end(job, 'failed', failure, (tx) => kind.failed(tx, job, failure));
  }

  async function work(job: Job, kind: Kind): Promise<void> {
    const now = clock.now();
    const deadlineAt = job.deadlineAt ?? after(now, kind.seconds);
    if (deadlineAt <= now) return fail(job, kind, 'too_long', new Error('its time was over'));
    // Whoever had it before did not come to an end with it, and neither may we.
    if (job.attempts > mostAttempts) return fail(job, kind, 'unexpected', new Error('given up after several tries'));
    await renew(job, { deadlineAt });

    const over = new AbortController();
    const late = setTimeout(() => over.abort(new JobFailed('too_long')), deadlineAt.getTime() - now.getTime());
    const beat = async () => {
      try {
        await renew(job);
      } catch (error) {
        // While the database is away, the lease tells how long nobody else may begin.
        if (error instanceof Lost) over.abort(error);
      }
    };
    const beating = setInterval(() => void beat(), pace.beat);
    look = () => void beat();
    giveUp = (reason) => over.abort(reason);
    let finished = false;
    try {
      await kind.run({
        job,
        signal: over.signal,
        step: async (step) => {
          over.signal.throwIfAborted();
          await renew(job, { step });
        },
        newKey: async () => {
          const key = newId();
          const kept = await db.orm
            .update(jobs)
            .set({ storeKeys: sql`array_append(${jobs.storeKeys}, ${key})` })
            .where(ours(job))
            .returning({ id: jobs.id });
          if (kept.length === 0) throw new Lost();
          return key;
        },
        finish: async (write) => {
          over.signal.throwIfAborted();
          await end(job, 'done', null, write);
          finished = true;
        },
      });
      if (!finished) throw new Error('it ended without an end');
    } catch (error) {
      if (finished) throw error;
      await settle(job, kind, over.signal.aborted ? over.signal.reason : error);
    } finally {
      clearInterval(beating);
      clearTimeout(late);
      look = null;
      giveUp = null;
    }
  }

  let giveUp: ((reason: unknown) => void) | null = null;
  const stopping = new Error('the house stops');

  async function settle(job: Job, kind: Kind, error: unknown): Promise<void> {
    if (error instanceof Lost) {
      log.info({ job: job.id }, 'a job is ours no more');
      return;
    }
    if (error instanceof JobFailed) return fail(job, kind, error.failure, error);
    const now = clock.now();
    const free = { state: 'waiting', lease: null, leasedUntil: null } as const;
    if (error === stopping) {
      await db.orm
        .update(jobs)
        .set({ ...free, nextAt: now, attempts: sql`${jobs.attempts} - 1` })
        .where(ours(job));
      return;
    }
    if (job.attempts >= mostAttempts) return fail(job, kind, 'unexpected', error);
    log.warn({ err: error, job: job.id, attempts: job.attempts }, 'a job did not come to its end; tried again');
    const nextAt = after(now, pace.pause * 2 ** (job.attempts - 1));
    await db.orm
      .update(jobs)
      .set({ ...free, nextAt, error: error instanceof Error ? error.name : 'unknown' })
      .where(ours(job));
  }

  async function workOn(): Promise<void> {
    do {
      news = false;
      for (let job = await claim(); job; job = stopped ? undefined : await claim()) {
        const kind = kinds[job.kind];
        if (kind)
          await work(job, kind).catch((error: unknown) => {
            if (!(error instanceof Lost))
              log.error({ err: error, job: job?.id }, 'a job could not be settled; its lease runs out');
          });
      }
    } while (news && !stopped);
  }

  function wake(): void {
    news = true;
    if (stopped || working) return;
    working = workOn()
      .catch((error: unknown) => log.error({ err: error }, 'the jobs could not be looked at; tried again soon'))
      .finally(() => (working = null));
  }

  const listening = await db.sql.listen(channel, () => {
    look?.();
    wake();
  });
  wake();
  const timer = setInterval(wake, pace.poll);
  timer.unref();
  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await listening.unlisten().catch(() => {});
      giveUp?.(stopping);
      await working;
    },
  };
}

/** What ended long ago is of no use to anybody. */
export async function sweepJobs({ db, clock }: Pick<House, 'db' | 'clock'>): Promise<void> {
  const old = after(clock.now(), -30 * 86_400);
  await db.orm.delete(jobs).where(and(gt(jobs.finishedAt, new Date(0)), lte(jobs.finishedAt, old)));
}
