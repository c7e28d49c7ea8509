import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { appendHeardRow, heardUntil, passHeard, type HeardStretch } from '#db/heard.ts';
import { intakes, uploads } from '#db/schema/intake.ts';
import { meetings } from '#db/schema/meetings.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import { NotTaken } from '#sync/server/server-writes.ts';
import type { House } from '../context.ts';
import { advance, type Intake } from './drafts.ts';
import { endFailed, endReady } from './ending.ts';
import type { Programs } from '../media/ffmpeg.ts';
import { kindOf } from '../media/kinds.ts';
import { secondsOf } from './create.ts';
import type { Upload } from './uploads.ts';
import { JobFailed, type Kind, type Work } from '../jobs.ts';
import { mediaOf } from '../media/media.ts';
import { updateProjection } from '../rooms/projection.ts';
import { vocabularyOf } from '../glossary/vocabulary.ts';
import { EngineFailed, type Heard, type Sound } from '../engines/engine.ts';
import { cutFile } from '../engines/pieces.ts';

export const transcriptionJob = 'transcription';
/** Transcriptions at once in a process: mostly they wait for engines. */
export const transcriptionsAtOnce = 2;
/** Progress when a recording is ready to play and its transcription starts. */
export const takenIn = 20;

/**
 * Transcribes a recording with an engine. Each piece enters the document in the transaction that advances `heard_ms`:
 * after a process dies, the next one resumes after the last piece, and nothing is entered twice.
 */
export function transcriptionKind(house: House, programs: Programs | null): Kind {
  const { db, store } = house;

  async function subject(work: Work): Promise<{ intake: Intake; upload: Upload }> {
    const [row] = await db.orm
      .select({ intake: intakes, upload: uploads, deletedAt: meetings.deletedAt })
      .from(intakes)
      .innerJoin(meetings, eq(meetings.id, intakes.meetingId))
      .innerJoin(uploads, eq(uploads.meetingId, intakes.meetingId))
      .where(eq(intakes.meetingId, work.job.meetingId));
    if (!row || row.deletedAt) throw new JobFailed('cancelled');
    return row;
  }

  async function soundOf(work: Work, upload: Upload, folder: string): Promise<Sound> {
    const { meetingId } = work.job;
    const path = await store.local(upload.storeKey, folder);
    const media = await mediaOf(house, meetingId);
    const known = media.find(({ durationMs }) => durationMs !== null)?.durationMs;
    const seconds = known == null ? await secondsOf(house, upload) : known / 1000;
    const file = await open(path);
    let kind;
    try {
      kind = kindOf((await file.read(Buffer.alloc(64), 0, 64, 0)).buffer, upload.name);
    } finally {
      await file.close();
    }
    if (!kind) throw new JobFailed('unsupported');
    const type = media.find(({ storeKey }) => storeKey === upload.storeKey)?.type ?? 'application/octet-stream';
    return {
      durationMs: seconds === null ? null : Math.round(seconds * 1000),
      file: { path, name: upload.name, type, bytes: upload.bytes },
      cut: programs
        ? (from, limits, take) => cutFile(programs, { path, kind, folder, signal: work.signal }, from, limits, take)
        : null,
    };
  }

  async function write(work: Work, { from, to, segments }: Heard): Promise<void> {
    const { job, signal } = work;
    signal.throwIfAborted();
    const { meetingId } = job;
    const span: HeardStretch = { meetingId, jobId: job.id, lease: job.lease ?? '', from, to };
    const stored = async () => {
      if (segments.length === 0) return passHeard(db.sql, span);
      try {
        await house.documents.inRoom(meetingId, (room) =>
          room.changeApart(
            { userId: null, origin: 'seed' },
            (pieces) => house.wholes.do('enter', pieces, { heard: segments }),
            (row, after) => appendHeardRow(db.sql, row, after, span),
          ),
        );
        return true;
      } catch (error) {
        if (error instanceof NotTaken) return false;
        throw error;
      }
    };
    // After a lost connection the piece may be stored: the mark tells.
    if (!(await stored()) && (await heardUntil(db.sql, span)) !== to) throw new Error('its place was taken');
    if (segments.length > 0) await updateProjection(house, meetingId);
  }

  return {
    seconds: 24 * 3600,
    async run(work) {
      const { meetingId, id } = work.job;
      const { intake, upload } = await subject(work);
      const engine = house.engines().find(({ offered }) => offered.name === intake.model);
      if (!engine) throw new JobFailed('engine_gone');
      const folder = join(house.config.dataDir, 'work', id);
      await rm(folder, { recursive: true, force: true });
      try {
        await mkdir(folder, { recursive: true });
        await work.step('fetching');
        const sound = await soundOf(work, upload, folder);
        await work.step('listening');
        const { lang, speakers, heardMs } = intake;
        const vocabulary = await vocabularyOf(db.orm, meetingId, intake.vocabulary);
        const shareOf = (ms: number) =>
          Math.floor(takenIn + (99 - takenIn) * Math.min(1, ms / (sound.durationMs ?? 1)));
        let shown = 0;
        await engine.transcribe({
          sound,
          from: heardMs,
          lang,
          speakers,
          vocabulary,
          signal: work.signal,
          progress: (until) => {
            if (sound.durationMs === null || shareOf(until) <= shown) return;
            shown = shareOf(until);
            // A failed update is corrected with the next piece at the latest.
            advance(house, meetingId, shown).catch(() => {});
          },
          heard: async (piece) => {
            await write(work, piece);
            await advance(house, meetingId, sound.durationMs ? shareOf(piece.to) : Math.floor((takenIn + 99) / 2));
          },
        });
        const written = await house.documents.read(meetingId, (doc) => textOf(doc).length > 0);
        if (!written) throw new JobFailed('no_speech');
        await work.finish((tx) => endReady(house, tx, work.job, intake));
        house.wakeMail();
      } catch (error) {
        if (error instanceof EngineFailed && !work.signal.aborted)
          throw new JobFailed(`engine_${error.failure}`, error);
        throw error;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    failed: (tx, job, failure) => endFailed(house, tx, job, failure),
  };
}
