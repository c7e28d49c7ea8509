import { and, asc, eq, gt, inArray, isNull, lte, or, sql, type SQL } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { jobs } from '#db/schema/jobs.ts';
import { storeLeftovers } from '#db/schema/media.ts';
import { newId } from '#shared/ids.ts';
import { after } from './clock.ts';
import { moneyTransaction } from './billing/ledger.ts';
import type { House } from './context.ts';

/** `meetingId` is empty for a job without a meeting. */
export type Job = Omit<typeof jobs.$inferSelect, 'meetingId'> & { meetingId: string };

/** A meeting with what a job of it is about. */
interface About {
  meetingId: string;
  subject: string;
}

/** Tools that a running job gets. */
export interface Work {
  job: Job;
  /**
   * Aborted when the result no longer counts: cancelled, too late, taken over by another process, or the server stops.
   */
  signal: AbortSignal;
  /** Records the next step of the job. */
  step(name: string): Promise<void>;
  /** Returns a new key of the store and records it; files that no row refers to when the job ends are deleted. */
  newKey(): Promise<string>;
  /**
   * Ends the job; `write` runs in the same transaction that marks the job as done, and again where a deadlock undid it.
   */
  finish(write: (tx: Orm) => Promise<void>): Promise<void>;
}

export interface Kind {
  /** Most seconds a job may take, all attempts together. */
  seconds: number;
  run(work: Work): Promise<void>;
  /**
   * Runs in the transaction that marks the job as failed, repeated as that of `finish`; `failure` is a key of the texts.
   */
  failed(tx: Orm, job: Job, failure: string): Promise<void>;
}

/** Failure that another attempt would not change; `failure` is a key of the texts. */
export class JobFailed extends Error {
  override name = 'JobFailed';
  readonly failure: string;

  constructor(failure: string, cause?: unknown) {
    super(failure, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

/** Lease lost: another process has the job, or it was cancelled. */
class LeaseLost extends Error {
  override name = 'LeaseLost';
}

export interface Pace {
  /** Milliseconds of real time between two polls of the table; a notification wakes the worker earlier. */
  poll: number;
  /** Milliseconds of real time between two renewals of a lease. */
  beat: number;
  /** Seconds until a lease expires, by the server's clock. */
  lease: number;
  /** Seconds before the second attempt; doubled for each one after it. */
  pause: number;
}
const usual: Pace = { poll: 3000, beat: 5000, lease: 30, pause: 10 };

const mostAttempts = 3;
const channel = 'colloquy_jobs';
const open = ['waiting', 'running'] as const;

/** Queues a job in the caller's transaction; a free process starts it after the commit, and not before `nextAt`. */
export async function queueJob(tx: Orm, kind: string, meetingId: string, now: Date, nextAt: Date = now): Promise<void> {
  await tx.insert(jobs).values({ id: newId(), kind, meetingId, state: 'waiting', nextAt, createdAt: now });
  await wakeJobs(tx);
}

/** Queues a job that no meeting asks for; false if one about this subject waits or runs. */
export const queueSubject = (tx: Orm, kind: string, subject: string, now: Date): Promise<boolean> =>
  queueOnce(tx, kind, { subject }, now);

/** Queues a job of a meeting about a subject; false if one waits or runs. */
export const queueWork = (tx: Orm, kind: string, about: About, now: Date): Promise<boolean> =>
  queueOnce(tx, kind, about, now);

async function queueOnce(tx: Orm, kind: string, about: Partial<About>, now: Date): Promise<boolean> {
  const queued = await tx
    .insert(jobs)
    .values({ id: newId(), kind, ...about, state: 'waiting', nextAt: now, createdAt: now })
    .onConflictDoNothing()
    .returning({ id: jobs.id });
  if (queued.length > 0) await wakeJobs(tx);
  return queued.length > 0;
}

/** Makes all processes look for due jobs after the commit. */
export const wakeJobs = (tx: Orm) => tx.execute(sql`select pg_notify(${channel}, '')`);

/**
 * Cancels the open jobs of a meeting; true if there were any. A running worker stops on the notification, and the files
 * it made are deleted.
 */
export const cancelJobs = (tx: Orm, meetingId: string, now: Date): Promise<boolean> =>
  cancel(tx, eq(jobs.meetingId, meetingId), now);

/** Cancels the open job of that kind about a subject. */
export const cancelSubject = (tx: Orm, kind: string, subject: string, now: Date): Promise<boolean> =>
  cancel(tx, and(isNull(jobs.meetingId), eq(jobs.kind, kind), eq(jobs.subject, subject)), now);

/** Cancels the open job of that kind of a meeting about a subject. */
export const cancelWork = (tx: Orm, kind: string, { meetingId, subject }: About, now: Date): Promise<boolean> =>
  cancel(tx, and(eq(jobs.meetingId, meetingId), eq(jobs.kind, kind), eq(jobs.subject, subject)), now);

async function cancel(tx: Orm, which: SQL | undefined, now: Date): Promise<boolean> {
  const cancelled = await tx
    .update(jobs)
    .set({ state: 'cancelled', lease: null, leasedUntil: null, finishedAt: now })
    .where(and(which, inArray(jobs.state, open)))
    .returning({ storeKeys: jobs.storeKeys });
  if (cancelled.length === 0) return false;
  await queueLeftovers(
    tx,
    cancelled.flatMap(({ storeKeys }) => storeKeys),
  );
  await wakeJobs(tx);
  return true;
}

/** Queues files for deletion; the sweep skips those that a recording refers to. */
async function queueLeftovers(tx: Orm, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await tx
    .insert(storeLeftovers)
    .values(keys.map((key) => ({ key })))
    .onConflictDoNothing();
}

/** Works on queued jobs. Several processes can share one table: a lease gives each job one worker. */
export async function startJobs(
  house: House,
  kinds: Readonly<Record<string, Kind>>,
  pace: Pace = usual,
): Promise<{ stop(): Promise<void> }> {
  const { clock, log, db } = house;
  let stopped = false;
  let wakeRequested = false;
  let working: Promise<void> | null = null;
  let beatNow: (() => void) | null = null;

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
    return job && { ...job, meetingId: job.meetingId ?? '' };
  }

  const ours = ({ id, lease }: Job) => and(eq(jobs.id, id), eq(jobs.lease, lease ?? ''), eq(jobs.state, 'running'));

  async function renew(job: Job, fields: Partial<typeof jobs.$inferInsert> = {}): Promise<void> {
    const updated = await db.orm
      .update(jobs)
      .set({ leasedUntil: after(clock.now(), pace.lease), ...fields })
      .where(ours(job))
      .returning({ id: jobs.id });
    if (updated.length === 0) throw new LeaseLost();
  }

  /** Ends a job in one transaction with its effects, only while this process holds the lease. */
  async function end(job: Job, state: 'done' | 'failed', error: string | null, write: (tx: Orm) => Promise<void>) {
    await moneyTransaction(house, async (tx) => {
      const [held] = await tx
        .update(jobs)
        .set({ state, error, lease: null, leasedUntil: null, finishedAt: clock.now() })
        .where(ours(job))
        .returning({ storeKeys: jobs.storeKeys });
      if (!held) throw new LeaseLost();
      await write(tx);
      await queueLeftovers(tx, held.storeKeys);
    });
  }

  async function fail(job: Job, kind: Kind, failure: string, error: unknown): Promise<void> {
    log.error(
      { err: error, job: job.id, kind: job.kind, meeting: job.meetingId, subject: job.subject, failure },
      'a job failed',
    );
    await end(job, 'failed', failure, (tx) => kind.failed(tx, job, failure));
  }

  async function work(job: Job, kind: Kind): Promise<void> {
    const now = clock.now();
    const deadlineAt = job.deadlineAt ?? after(now, kind.seconds);
    if (deadlineAt <= now) return fail(job, kind, 'too_long', new Error('its time was over'));
    // Earlier attempts all died without an end, so another one would probably die too.
    if (job.attempts > mostAttempts) return fail(job, kind, 'unexpected', new Error('given up after several tries'));
    await renew(job, { deadlineAt });

    const over = new AbortController();
    const late = setTimeout(() => over.abort(new JobFailed('too_long')), deadlineAt.getTime() - now.getTime());
    const beat = async () => {
      try {
        await renew(job);
      } catch (error) {
        // A failed renewal is ignored while the database is away: until the lease expires, no other process starts the
        // job.
        if (error instanceof LeaseLost) over.abort(error);
      }
    };
    const beating = setInterval(() => void beat(), pace.beat);
    beatNow = () => void beat();
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
          const updated = await db.orm
            .update(jobs)
            .set({ storeKeys: sql`array_append(${jobs.storeKeys}, ${key})` })
            .where(ours(job))
            .returning({ id: jobs.id });
          if (updated.length === 0) throw new LeaseLost();
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
      await afterError(job, kind, over.signal.aborted ? over.signal.reason : error);
    } finally {
      clearInterval(beating);
      clearTimeout(late);
      beatNow = null;
      giveUp = null;
    }
  }

  let giveUp: ((reason: unknown) => void) | null = null;
  const stopping = new Error('the house stops');

  async function afterError(job: Job, kind: Kind, error: unknown): Promise<void> {
    if (error instanceof LeaseLost) {
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
      wakeRequested = false;
      for (let job = await claim(); job; job = stopped ? undefined : await claim()) {
        const kind = kinds[job.kind];
        if (kind)
          await work(job, kind).catch((error: unknown) => {
            if (!(error instanceof LeaseLost))
              log.error({ err: error, job: job?.id }, 'a job could not be settled; its lease runs out');
          });
      }
    } while (wakeRequested && !stopped);
  }

  function wake(): void {
    wakeRequested = true;
    if (stopped || working) return;
    working = workOn()
      .catch((error: unknown) => log.error({ err: error }, 'the jobs could not be looked at; tried again soon'))
      .finally(() => (working = null));
  }

  const listening = await db.sql.listen(channel, () => {
    beatNow?.();
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

/** Deletes jobs that ended more than 30 days ago. */
export async function sweepJobs({ db, clock }: Pick<House, 'db' | 'clock'>): Promise<void> {
  const old = after(clock.now(), -30 * 86_400);
  await db.orm.delete(jobs).where(and(gt(jobs.finishedAt, new Date(0)), lte(jobs.finishedAt, old)));
}
