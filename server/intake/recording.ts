import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { eq } from 'drizzle-orm';
import { appendEnteredRow, isEntered } from '#db/heard.ts';
import { intakes, uploads } from '#db/schema/intake.ts';
import { media } from '#db/schema/media.ts';
import { meetings } from '#db/schema/meetings.ts';
import { newId } from '#shared/ids.ts';
import { externalModel, humanModel, mostRecordingMs, noModel } from '#shared/intake.ts';
import type { MediaTag } from '#shared/meetings/media.ts';
import { Problem } from '#shared/problems.ts';
import { freeWorkerOf } from '../billing/free-work.ts';
import type { House } from '../context.ts';
import { takenIn, transcriptionJob } from './transcription.ts';
import { JobFailed, queueJob, type Kind, type Work } from '../jobs.ts';
import { mediaOf } from '../media/media.ts';
import { updateProjection } from '../rooms/projection.ts';
import { advance, type Intake } from './drafts.ts';
import { endFailed, endReady } from './ending.ts';
import { lookForDrift } from './drift.ts';
import { enterOnce } from './enter.ts';
import { tooLongFor } from './longest.ts';
import { inputOf, mostOutput, printed, runProgram, type Programs } from '../media/ffmpeg.ts';
import { fillAbout } from './naming.ts';
import { peaksOf, sampleRate } from '../media/peaks.ts';
import { explained, probe, type Found } from '../media/probe.ts';
import type { Upload } from './uploads.ts';

export const recordingJob = 'recording';

/** Difference between decoders and headers that are both right: padding of encoders, rounded times. */
const inexactMs = 2000;

/** A row of media before it has a meeting id. */
interface Made {
  tag: MediaTag;
  name: string;
  type: string;
  bytes: number;
  durationMs: number | null;
  storeKey: string;
}

/**
 * Processes an uploaded recording: inspects it, draws its waveform, converts formats that browsers cannot play, and
 * enters the added transcript. Each step can be repeated: results count only at the end.
 */
export function recordingKind(house: House, programs: Programs | null): Kind {
  const { db, store, log } = house;

  /** Whether another job transcribes the recording afterwards. */
  const isTranscribed = ({ model }: Intake) => model !== externalModel && model !== noModel;

  /** Scales the progress, because transcription by an engine takes the larger part. */
  const advanceTo = (intake: Intake, percentage: number) =>
    advance(house, intake.meetingId, isTranscribed(intake) ? Math.round((percentage * takenIn) / 100) : percentage);

  async function subject(work: Work): Promise<{ intake: Intake; upload: Upload | null }> {
    const [row] = await db.orm
      .select({ intake: intakes, upload: uploads, deletedAt: meetings.deletedAt })
      .from(intakes)
      .innerJoin(meetings, eq(meetings.id, intakes.meetingId))
      .leftJoin(uploads, eq(uploads.meetingId, intakes.meetingId))
      .where(eq(intakes.meetingId, work.job.meetingId));
    if (!row || row.deletedAt) throw new JobFailed('cancelled');
    return row;
  }

  /**
   * Compares the measured length with the one that the price was agreed for: a file's headers can be wrong. A longer
   * recording stops here, and its price is asked for again; of a shorter one only the measured length is taken.
   */
  async function measure({ meetingId, model, holdId, agreedMs }: Intake, durationMs: number | null): Promise<void> {
    if (durationMs === null) return;
    await db.orm.update(intakes).set({ measuredMs: durationMs }).where(eq(intakes.meetingId, meetingId));
    // A model that became free, or is no longer offered, costs nothing more than what is reserved.
    if (holdId === null && house.costs.isFree(model)) return;
    if (agreedMs !== null && durationMs - inexactMs > agreedMs) throw new JobFailed('longer');
  }

  /**
   * Whether a team permits less than the measured length. A length that is paid for was compared before it was agreed;
   * here is compared what is free, where it is longer than was known when it began.
   */
  async function isRefused(intake: Intake, durationMs: number | null): Promise<boolean> {
    const { meetingId, ownerId, holdId, agreedMs } = intake;
    if (durationMs === null || holdId !== null || !isTranscribed(intake)) return false;
    if (agreedMs !== null && durationMs - inexactMs <= agreedMs) return false;
    const asker = (await freeWorkerOf(db.orm, meetingId)) ?? { id: ownerId };
    return (await tooLongFor(db.orm, asker, durationMs / 1000)) !== null;
  }

  async function keep(work: Work, about: Omit<Made, 'bytes' | 'storeKey'>, content: Readable): Promise<Made> {
    const storeKey = await work.newKey();
    const { bytes } = await store.put(storeKey, content);
    return { ...about, bytes, storeKey };
  }

  async function takeIn(
    work: Work,
    intake: Intake,
    upload: Upload,
    folder: string,
  ): Promise<{ made: Made[]; durationMs: number | null }> {
    const { signal } = work;
    await work.step('fetching');
    const path = await store.local(upload.storeKey, folder);
    await verify(path, upload, store.partBytes, signal);
    await advanceTo(intake, 10);

    await work.step('reading');
    const where = { path, fileName: upload.name, bytes: upload.bytes, folder, signal };
    const found = await probe(programs, where);
    await advanceTo(intake, 20);

    const made: Made[] = [];
    let { durationMs } = found;
    if (programs) {
      await work.step('drawing');
      const peaks = await draw(programs, found, where);
      // Decoding gives the most exact duration.
      if (peaks.durationMs === 0) throw new JobFailed('no_sound');
      durationMs = peaks.durationMs;
      // Before the longest step.
      await measure(intake, durationMs);
      const { perSecond } = peaks;
      const json = Buffer.from(JSON.stringify({ perSecond, peaks: peaks.peaks }));
      const waveform = { tag: 'histogram', name: 'peaks.json', type: 'application/json', durationMs } as const;
      made.push(await keep(work, waveform, Readable.from([json])));
      await advanceTo(intake, 50);
    }
    const { bytes, storeKey, name } = upload;
    const playableTag = found.video ? 'video' : 'audio';
    const original = { name, type: found.type, bytes, durationMs, storeKey };
    made.push({ ...original, tag: found.plays ? playableTag : 'source' });
    if (programs && !found.plays) {
      await work.step('converting');
      const { file, type } = await convert(programs, found, where);
      const copy = {
        tag: playableTag,
        name: `${name.replace(/\.[^.]*$/, '')}${found.video ? '.mp4' : '.m4a'}`,
        type,
        durationMs,
      };
      made.push(await keep(work, copy as Omit<Made, 'bytes' | 'storeKey'>, createReadStream(file)));
    }
    await advanceTo(intake, 80);
    return { made, durationMs };
  }

  /**
   * Enters the added transcript without an author, after any text people have written; an earlier attempt may have
   * entered it already.
   */
  async function write(work: Work, intake: Intake, mediaMs: number | null): Promise<void> {
    if (intake.model !== externalModel) return begin(work, intake);
    if (!intake.transcript || !intake.transcriptType) return;
    await work.step('writing');
    await fillAbout(house, intake);
    const read = await house.transcripts
      .read(
        {
          bytes: intake.transcript,
          format: intake.transcriptType,
          personId: intake.ownerId,
          mediaMs: mediaMs ?? undefined,
          // The document keeps its title and language: the file's would override changes made meanwhile.
          about: { title: '', lang: '' },
        },
        true,
      )
      .catch((error: unknown) => {
        if (error instanceof Problem && error.code === 'INVALID') throw new JobFailed('transcript', error);
        throw error;
      });
    for (const note of read.notes) log.info({ meeting: intake.meetingId, ...note }, 'a transcript was read');
    const { meetingId } = intake;
    const entering = { meetingId, jobId: work.job.id, lease: work.job.lease ?? '' };
    await enterOnce(
      house,
      work,
      { state: read.state, append: false },
      (row, after) => appendEnteredRow(db.sql, row, after, entering),
      async () => (await isEntered(db.sql, entering)) === true,
    );
    await updateProjection(house, meetingId);
    await advanceTo(intake, 95);
  }

  /** Prepares the document for a transcript by an engine, or for none. */
  async function begin(work: Work, intake: Intake): Promise<void> {
    await work.step('writing');
    await fillAbout(house, intake);
    await updateProjection(house, intake.meetingId);
  }

  return {
    seconds: 4 * 3600,
    async run(work) {
      const { meetingId } = work.job;
      const { intake, upload } = await subject(work);
      // Named after the job, so that the next attempt removes files of a killed one.
      const folder = join(house.config.dataDir, 'work', work.job.id);
      await rm(folder, { recursive: true, force: true });
      try {
        await mkdir(folder, { recursive: true });
        const existing = await mediaOf(house, meetingId);
        const nothing = {
          made: [],
          durationMs: existing.find(({ durationMs: known }) => known !== null)?.durationMs ?? null,
        };
        // A repeated run after another failure has its media already.
        const { made, durationMs } =
          upload && existing.length === 0 ? await takeIn(work, intake, upload, folder) : nothing;
        await measure(intake, durationMs);
        // A recording that is too long for a transcript is kept without one: it can be played, and transcribed later.
        const refused = await isRefused(intake, durationMs);
        const wanted = refused ? { ...intake, model: noModel } : intake;
        await write(work, wanted, durationMs);
        if (intake.transcript)
          await lookForDrift(house, meetingId, made.find(({ tag }) => tag === 'histogram')?.storeKey);
        const now = house.clock.now();
        await work.finish(async (tx) => {
          if (made.length > 0)
            await tx.insert(media).values(made.map((one) => ({ id: newId(), meetingId, ...one, createdAt: now })));
          if (refused) await tx.update(intakes).set({ model: noModel }).where(eq(intakes.meetingId, meetingId));
          // The change of the percentage notifies open pages.
          if (isTranscribed(wanted))
            await tx.update(intakes).set({ percentage: takenIn }).where(eq(intakes.meetingId, meetingId));
          // The recording can be played from now on, while its transcript is still being made.
          if (!isTranscribed(wanted)) await endReady(house, tx, work.job, wanted);
          else if (wanted.model === humanModel) await house.orders.place(house, tx, wanted, durationMs);
          else await queueJob(tx, transcriptionJob, meetingId, now);
        });
        house.wakeMail();
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    failed: (tx, job, failure) => endFailed(house, tx, job, failure),
  };
}

/** Verifies the downloaded bytes by the digests of the parts as they were received. */
async function verify(path: string, { bytes, digest }: Upload, partBytes: number, signal: AbortSignal): Promise<void> {
  if ((await stat(path)).size !== bytes) throw new JobFailed('damaged');
  if (!digest) return;
  const whole = createHash('sha256');
  for (let from = 0; from < bytes; from += partBytes) {
    const part = createHash('sha256');
    const end = Math.min(bytes, from + partBytes) - 1;
    for await (const piece of createReadStream(path, { start: from, end, highWaterMark: 1024 * 1024, signal }))
      part.update(piece as Buffer);
    whole.update(part.digest());
  }
  if (!whole.digest().equals(digest)) throw new JobFailed('damaged');
}

interface Where {
  path: string;
  folder: string;
  signal: AbortSignal;
}

const quiet = ['-v', 'error', '-nostdin', '-threads', '1'];
const longest = ['-t', String(mostRecordingMs / 1000)];

function draw(programs: Programs, { kind }: Found, { path, folder, signal }: Where) {
  const sound = ['-map', '0:a:0', '-vn', '-sn', '-dn', '-ac', '1', '-ar', String(sampleRate), '-f', 's16le'];
  const args = [...quiet, ...inputOf(kind, path), ...longest, ...sound, 'pipe:1'];
  const bounds = { folder, signal, seconds: 1800, cpuSeconds: 1200 };
  return explained(() => runProgram(programs, 'ffmpeg', args, bounds, (output) => peaksOf(output, mostRecordingMs)));
}

async function convert(programs: Programs, { kind, video }: Found, { path, folder, signal }: Where) {
  const file = join(folder, 'copy.mp4');
  const sound = ['-map', '0:a:0', '-c:a', 'aac', '-b:a', '128k', '-ac', '2'];
  const picture = ['-map', '0:v:0', '-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26', '-pix_fmt', 'yuv420p'];
  const smaller = ['-vf', "scale='min(1280,iw)':-2"];
  const output = [
    '-sn',
    '-dn',
    '-map_metadata',
    '-1',
    '-movflags',
    '+faststart',
    '-fs',
    String(mostOutput),
    '-f',
    'mp4',
  ];
  const args = [
    ...quiet,
    ...inputOf(kind, path),
    ...longest,
    ...sound,
    ...(video ? [...picture, ...smaller] : ['-vn']),
    ...output,
    `file:${file}`,
  ];
  const bounds = { folder, signal, seconds: 10_800, cpuSeconds: 10_800 };
  await explained(() => runProgram(programs, 'ffmpeg', args, bounds, printed));
  return { file, type: video ? 'video/mp4' : 'audio/mp4' };
}
