import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { intakes, recordingImports, uploads } from '#db/schema/intake.ts';
import { meetings } from '#db/schema/meetings.ts';
import { newId } from '#shared/ids.ts';
import { fileLimits } from '#shared/intake.ts';
import { Problem } from '#shared/problems.ts';
import type { House } from '../context.ts';
import { JobFailed, queueJob, type Kind, type Work } from '../jobs.ts';
import type { Coming, MeetingService } from '../outside/meeting-service.ts';
import { advance } from './drafts.ts';
import { endFailed } from './ending.ts';
import type { RecordingImport } from './imports.ts';
import { recordingJob } from './recording.ts';
import { asPerson, isLoginNeeded } from './service-accounts.ts';
import { counting, digestOf } from './uploads.ts';

export const importJob = 'import';
/** Downloads at once in a process, besides other jobs, because they mostly wait. */
export const importsAtOnce = 2;

export interface ImportPace {
  /** Milliseconds before a broken download is resumed; doubled for each attempt without data. */
  pause: number;
  mostBytes: number;
}
const usual: ImportPace = { pause: 1000, mostBytes: fileLimits.mostBytes };
/** Consecutive attempts without data. */
const mostStumbles = 6;
/** Percentage of the progress that the download takes. */
const share = 9;

/**
 * Downloads a recording from another service, as if it had been uploaded. A broken download resumes where it stopped,
 * if the service supports that; after this process dies, the next one starts again, and the partial file is removed.
 */
export function importKind(house: House, { pause, mostBytes }: ImportPace = usual): Kind {
  const { db, store, log } = house;

  async function subject({ job }: Work): Promise<RecordingImport & { ownerId: string }> {
    const [row] = await db.orm
      .select({ wanted: recordingImports, ownerId: meetings.ownerId, deletedAt: meetings.deletedAt })
      .from(recordingImports)
      .innerJoin(meetings, eq(meetings.id, recordingImports.meetingId))
      .innerJoin(intakes, eq(intakes.meetingId, recordingImports.meetingId))
      .where(eq(recordingImports.meetingId, job.meetingId));
    if (!row || row.deletedAt) throw new JobFailed('cancelled');
    return { ...row.wanted, ownerId: row.ownerId };
  }

  async function* bytesOf(
    { job, signal }: Work,
    wanted: Awaited<ReturnType<typeof subject>>,
    service: MeetingService,
  ): AsyncGenerator<Buffer> {
    let from = 0;
    let first: Pick<Coming, 'bytes' | 'mark'> | null = null;
    let stumbles = 0;
    let reported = 0;
    for (;;) {
      let coming: Coming | null = null;
      try {
        coming = await asPerson(house, wanted.ownerId, service, (access) =>
          service.fetch(access, wanted, from, signal),
        );
        first ??= coming;
        if (coming.bytes !== first.bytes || coming.mark !== first.mark) throw new JobFailed('import_changed');
        if ((coming.bytes ?? 0) > mostBytes) throw new JobFailed('import_large');
        if (coming.from > from) throw new Error('it left something out');
        // A service without ranges starts at the beginning.
        let skip = from - coming.from;
        for await (const chunk of coming.content as AsyncIterable<Buffer>) {
          const piece = chunk.subarray(Math.min(skip, chunk.length));
          skip -= chunk.length - piece.length;
          if (piece.length === 0) continue;
          if (coming.bytes !== null && from + piece.length > coming.bytes) throw new JobFailed('import_changed');
          from += piece.length;
          stumbles = 0;
          yield piece;
          const percentage = Math.floor((share * from) / (coming.bytes ?? Infinity));
          if (percentage <= reported) continue;
          reported = percentage;
          await advance(house, wanted.meetingId, reported);
        }
        if (coming.bytes !== null && from < coming.bytes) throw new Error('it ended early');
        if (from === 0) throw new JobFailed('import_missing');
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof JobFailed) throw error;
        if (isLoginNeeded(error)) throw new JobFailed('import_login', error);
        if (error instanceof Problem && error.code === 'NO_ACCESS') throw new JobFailed('import_missing', error);
        if (error instanceof Problem && error.code === 'BIG') throw new JobFailed('import_large', error);
        stumbles += 1;
        if (stumbles > mostStumbles) throw new JobFailed('import_unreachable', error);
        log.info({ job: job.id, from, stumbles }, 'a recording is fetched on after the line broke');
        await sleep(pause * 2 ** (stumbles - 1), undefined, { signal });
      } finally {
        coming?.content.destroy();
      }
    }
  }

  return {
    seconds: 6 * 3600,
    async run(work) {
      const wanted = await subject(work);
      const service = house.services[wanted.service];
      if (!service) throw new JobFailed('import_off');
      await work.step('importing');
      const storeKey = await work.newKey();
      const digests: Buffer[] = [];
      const coming = bytesOf(work, wanted, service);
      const content = Readable.from(counting(coming, mostBytes, store.partBytes, digests), {
        objectMode: false,
      });
      // The first error of the download counts, not what the store makes of it.
      let why: unknown;
      content.on('error', (error) => (why = error));
      const { bytes } = await store.put(storeKey, content).catch((error: unknown) => {
        why ??= error;
        if (why instanceof Problem && why.code === 'BIG') throw new JobFailed('import_large', why);
        throw why;
      });
      const now = house.clock.now();
      await work.finish(async (tx) => {
        const { meetingId, ownerId, name } = wanted;
        await tx.insert(uploads).values({
          id: newId(),
          ownerId,
          name,
          bytes,
          storeKey,
          createdAt: now,
          touchedAt: now,
          completedAt: now,
          digest: digestOf(digests),
          meetingId,
        });
        await queueJob(tx, recordingJob, meetingId, now);
      });
    },
    failed: (tx: Orm, job, failure) => endFailed(house, tx, job, failure),
  };
}
