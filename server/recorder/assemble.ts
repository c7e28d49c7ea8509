import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { and, asc, eq, gt, lte } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import { users } from '#db/schema/accounts.ts';
import { intakes, uploads } from '#db/schema/intake.ts';
import { media } from '#db/schema/media.ts';
import { meetings } from '#db/schema/meetings.ts';
import { liveRecordings, takePieces, takes } from '#db/schema/recorder.ts';
import { newId } from '#shared/ids.ts';
import { noModel, plainFileName, type CostOption } from '#shared/intake.ts';
import { trackTag } from '#shared/meetings/media.ts';
import { Problem } from '#shared/problems.ts';
import type { Track } from '#shared/recorder.ts';
import type { Asker } from '../billing/quote.ts';
import type { House } from '../context.ts';
import { endFailed } from '../intake/ending.ts';
import type { Intake } from '../intake/drafts.ts';
import { tooLongFor } from '../intake/longest.ts';
import { titleOf } from '../intake/naming.ts';
import { recordingJob } from '../intake/recording.ts';
import { counting, digestOf } from '../intake/uploads.ts';
import { JobFailed, queueJob, type Kind, type Work } from '../jobs.ts';
import type { Programs } from '../media/ffmpeg.ts';
import { joinTakes, type TakeFile } from './join.ts';
import { joinPlain } from './join-plain.ts';

const digestBytes = 32;
const rowsAtOnce = 200;

interface Stored {
  storeKey: string;
  bytes: number;
  digest: Buffer;
}

/** Makes the file of a recording that has ended, and files it as the completed upload of its meeting. */
export function assembleKind(house: House, programs: Programs | null): Kind {
  const { db, store } = house;

  /** From now on no piece is taken; another attempt finds it so. */
  async function begin(work: Work): Promise<Intake> {
    const { meetingId } = work.job;
    const [row] = await db.orm
      .select({ intake: intakes, deletedAt: meetings.deletedAt })
      .from(intakes)
      .innerJoin(meetings, eq(meetings.id, intakes.meetingId))
      .where(eq(intakes.meetingId, meetingId));
    if (!row || row.deletedAt) throw new JobFailed('cancelled');
    await db.orm
      .update(liveRecordings)
      .set({ state: 'assembling' })
      .where(and(eq(liveRecordings.meetingId, meetingId), eq(liveRecordings.state, 'ended')));
    return row.intake;
  }

  async function takeFiles(work: Work, folder: string): Promise<TakeFile[]> {
    const rows = await db.orm
      .select()
      .from(takes)
      .where(and(eq(takes.meetingId, work.job.meetingId), gt(takes.kept, 0)))
      .orderBy(asc(takes.offsetMs), asc(takes.createdAt), asc(takes.id));
    const files: TakeFile[] = [];
    for (const { id, track, type, offsetMs, kept } of rows) {
      const path = join(folder, `${id}.take`);
      await writeTake(work, { id, kept }, path);
      files.push({ id, track, type, offsetMs, path });
    }
    return files;
  }

  /** Writes the pieces of a take up to the first hole, each checked by its digest. */
  async function writeTake(work: Work, { id, kept }: { id: string; kept: number }, path: string): Promise<void> {
    const file = await open(path, 'w');
    try {
      for (let next = 1; next <= kept;) {
        work.signal.throwIfAborted();
        const rows = await db.orm
          .select()
          .from(takePieces)
          .where(and(eq(takePieces.takeId, id), lte(takePieces.firstN, kept), gt(takePieces.lastN, next - 1)))
          .orderBy(asc(takePieces.firstN))
          .limit(rowsAtOnce);
        const before = next;
        for (const row of rows) {
          if (row.firstN !== next) throw new Error(`piece ${next} of a take is missing`);
          checkDigests(row);
          await file.appendFile(row.bytes);
          next = row.lastN + 1;
        }
        if (next === before) throw new Error(`piece ${next} of a take is missing`);
      }
    } finally {
      await file.close();
    }
  }

  /** Stores a file, and reads it again to see that it is the same. */
  async function keep(work: Work, path: string): Promise<Stored> {
    const storeKey = await work.newKey();
    const digests: Buffer[] = [];
    const { size } = await stat(path);
    const content = createReadStream(path) as AsyncIterable<Buffer>;
    const { bytes } = await store.put(
      storeKey,
      Readable.from(counting(content, Number.MAX_SAFE_INTEGER, store.partBytes, digests)),
    );
    const again: Buffer[] = [];
    const stored = (await store.read(storeKey)) as AsyncIterable<Buffer>;
    for await (const _ of counting(stored, Number.MAX_SAFE_INTEGER, store.partBytes, again));
    const digest = digestOf(digests);
    if (bytes !== size || !digest.equals(digestOf(again))) throw new Error('the file was stored damaged');
    return { storeKey, bytes, digest };
  }

  return {
    seconds: 4 * 3600,
    async run(work) {
      const { meetingId } = work.job;
      const intake = await begin(work);
      const folder = join(house.config.dataDir, 'work', work.job.id);
      await rm(folder, { recursive: true, force: true });
      try {
        await mkdir(folder, { recursive: true });
        await work.step('joining');
        const files = await takeFiles(work, folder);
        if (files.length === 0) throw new JobFailed('no_recording');
        const place = { folder, signal: work.signal, log: house.log };
        const joined = programs ? await joinTakes(programs, files, place) : await joinPlain(files, place);
        if (!joined) throw new JobFailed('no_recording');
        await work.step('storing');
        const name = plainFileName(`${(await titleOf(house, intake)).slice(0, 180)}.${joined.ending}`);
        const file = await keep(work, joined.path);
        const parts: (Stored & { track: Track; ms: number })[] = [];
        for (const { track, path, ms } of joined.tracks) parts.push({ track, ms, ...(await keep(work, path)) });
        const asker = await askerFor(house, intake);
        const choice = await chosen(house, asker, intake, joined.ms);
        const now = house.clock.now();
        await work.finish(async (tx) => {
          const about = { id: newId(), ownerId: intake.ownerId, name, bytes: file.bytes, storeKey: file.storeKey };
          await tx.insert(uploads).values({
            ...about,
            digest: file.digest,
            meetingId,
            createdAt: now,
            touchedAt: now,
            completedAt: now,
          });
          if (parts.length > 0)
            await tx.insert(media).values(
              parts.map(({ track, ms, bytes, storeKey }) => ({
                id: newId(),
                meetingId,
                tag: trackTag,
                name: `${track}.m4a`,
                type: 'audio/mp4',
                bytes,
                durationMs: ms,
                storeKey,
                createdAt: now,
              })),
            );
          await tx
            .update(liveRecordings)
            .set({ state: 'assembled', assembledAt: now, gaps: joined.gaps })
            .where(eq(liveRecordings.meetingId, meetingId));
          await pay(house, tx, { asker, intake, choice, ms: joined.ms });
          await queueJob(tx, recordingJob, meetingId, now);
        });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    failed: (tx, job, failure) => endFailed(house, tx, job, failure),
  };
}

function checkDigests({ bytes, lengths, digests }: typeof takePieces.$inferSelect): void {
  let from = 0;
  for (const [i, length] of lengths.entries()) {
    const digest = createHash('sha256')
      .update(bytes.subarray(from, from + length))
      .digest();
    if (!digest.equals(digests.subarray(i * digestBytes, (i + 1) * digestBytes)))
      throw new JobFailed('damaged', new Error(`piece ${i} of a row`));
    from += length;
  }
  if (from !== bytes.length) throw new JobFailed('damaged');
}

/** Payer, in the scope that they recorded in; null: their account is deleted. */
async function askerFor(house: House, { ownerId, meetingId }: Intake): Promise<Asker | null> {
  const [row] = await house.db.orm
    .select({ id: users.id, scopeId: liveRecordings.scopeId })
    .from(users)
    .leftJoin(liveRecordings, eq(liveRecordings.meetingId, meetingId))
    .where(eq(users.id, ownerId));
  return row ?? null;
}

/**
 * The first way to pay in the scope that was recorded in, or the only one that can be used; null where there is none, a
 * choice to be made, or a team that permits only shorter ones.
 */
async function chosen(house: House, asker: Asker | null, intake: Intake, ms: number): Promise<CostOption | null> {
  const { meetingId, model } = intake;
  if (!asker) return null;
  // Only the transcript is refused: the recording is kept, whatever its length.
  if (model !== noModel && (await tooLongFor(house.db.orm, asker, ms / 1000)) !== null) return null;
  try {
    const options = await house.costs.options(house.db.orm, asker, { meetingId, model, seconds: ms / 1000 });
    const usable = options.filter(({ isEnough, isEnoughQuota }) => isEnough && isEnoughQuota);
    return usable.length === 1 || usable[0] === options[0] ? (usable[0] ?? null) : null;
  } catch (error) {
    // The model is no longer offered.
    if (error instanceof Problem) return null;
    throw error;
  }
}

/** Reserves what the transcript costs; without one way to pay the recording is only made playable. */
async function pay(
  house: House,
  tx: Orm,
  { asker, intake, choice, ms }: { asker: Asker | null; intake: Intake; choice: CostOption | null; ms: number },
): Promise<void> {
  const mine = eq(intakes.meetingId, intake.meetingId);
  const none = { model: noModel, holdId: null, agreedMs: null };
  if (!asker || !choice) {
    await tx.update(intakes).set(none).where(mine);
    return;
  }
  try {
    const order = { meetingId: intake.meetingId, model: intake.model, seconds: ms / 1000 };
    const holdId = await house.costs.hold(tx, asker, order, choice);
    await tx.update(intakes).set({ holdId, agreedMs: ms }).where(mine);
  } catch (error) {
    // The balance was used for something else meanwhile.
    if (!(error instanceof Problem) || !['FUNDS', 'QUOTA', 'PRICE'].includes(error.code)) throw error;
    await tx.update(intakes).set(none).where(mine);
  }
}
