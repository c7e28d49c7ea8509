import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { z } from 'zod';
import { accessesOf } from '#db/access.ts';
import { archives } from '#db/schema/archive.ts';
import { archiveFormat, archiveSchemas, manifestName, type Manifest } from '#shared/archive-content.ts';
import { archiveFailures, type ArchiveFailure } from '#shared/archives.ts';
import { Problem } from '#shared/problems.ts';
import { holds } from '#shared/roles.ts';
import type { Ctx, House, Signed } from '../context.ts';
import { JobFailed, type Kind, type Work } from '../jobs.ts';
import { onBehalfOf } from '../people/on-behalf.ts';
import { recordingFiles, type ArchivedRecording } from './content.ts';
import { zipOf, type ZipFile, type Zipped } from './zip.ts';

type Row = typeof archives.$inferSelect;

/** Writes an archive straight into the store. A stopped job begins anew. */
export const archiveKind = (house: House): Kind => ({
  seconds: 12 * 3600,
  async run(work) {
    const { job, signal, newKey, finish } = work;
    const [row] = await house.db.orm
      .update(archives)
      .set({ done: 0, missing: 0 })
      .where(eq(archives.id, job.subject))
      .returning();
    const ctx = row && (await onBehalfOf(house, row.userId, job.id));
    if (!row || !ctx) return finish(async () => {});
    const storeKey = await newKey();
    const files: Zipped[] = [];
    const zipped = zipOf(contentsOf(ctx, row, files, work), {
      at: row.createdAt,
      written: (file) => files.push(file),
    });
    const { bytes, sha256 } = await house.store.put(storeKey, Readable.from(zipped, { objectMode: false, signal }));
    await finish(async (tx) => {
      await tx
        .update(archives)
        .set({ state: 'ready', storeKey, bytes, sha256, finishedAt: house.clock.now() })
        .where(eq(archives.id, row.id));
    });
  },
  failed: async (tx, job, given) => {
    const failure: ArchiveFailure = archiveFailures.find((one) => one === given) ?? 'unexpected';
    await tx
      .update(archives)
      .set({ state: 'failed', failure, finishedAt: house.clock.now() })
      .where(eq(archives.id, job.subject));
  },
});

async function* contentsOf(ctx: Ctx, row: Row, files: readonly Zipped[], work: Work): AsyncGenerator<ZipFile> {
  for (const [name, schema] of Object.entries(archiveSchemas))
    yield { name: `schema/${name}.json`, content: Buffer.from(JSON.stringify(z.toJSONSchema(schema), null, 1)) };
  const recordings: Manifest['recordings'] = [];
  const missing: Manifest['missing'] = [];
  let told = 0;
  for (const [nth, id] of row.recordings.entries()) {
    work.signal.throwIfAborted();
    const one = await recordingOf(ctx, id, work);
    if (typeof one === 'string') missing.push({ id, why: one });
    else {
      yield* one.files;
      recordings.push({ id, title: one.title });
    }
    // Each second is often enough for the page.
    if (Date.now() - told < 1000 && nth < row.recordings.length - 1) continue;
    told = Date.now();
    await ctx.db.orm
      .update(archives)
      .set({ done: nth + 1, missing: missing.length })
      .where(eq(archives.id, row.id));
  }
  if (recordings.length === 0) throw new JobFailed('nothing' satisfies ArchiveFailure);
  const { id, email, firstName, lastName } = (ctx as Signed).person;
  const manifest: Manifest = {
    format: archiveFormat,
    id: row.id,
    at: row.createdAt.toISOString(),
    by: { id, email, name: `${firstName} ${lastName}`.trim() },
    ...{ recordings, missing, files: [...files] },
  };
  yield { name: manifestName, content: Buffer.from(JSON.stringify(manifest, null, 1)) };
}

const mostTries = 5;

/** A recording, with the permission asked again; or why it is left out. */
async function recordingOf(
  ctx: Ctx,
  id: string,
  { job, signal }: Work,
): Promise<ArchivedRecording | Manifest['missing'][number]['why']> {
  for (let tries = 1; ; tries += 1) {
    const [held] = await ctx.db.ask((sql) => accessesOf(sql, [{ meetingId: id, userId: ctx.person?.id ?? null }]));
    if (!held || !holds(held, 'read')) return 'no_access';
    try {
      return await recordingFiles(ctx, id, held);
    } catch (error) {
      signal.throwIfAborted();
      const code = error instanceof Problem ? error.code : null;
      if (code === 'NO_ACCESS') return 'no_access';
      if (code === 'UNAVAILABLE' && tries < mostTries) {
        await pause(1000 * tries, null, { signal });
        continue;
      }
      // One recording that cannot be read shall not cost all others; before that, the whole job is tried again.
      if (code !== 'BIG' && job.attempts < 3) throw error;
      ctx.log.error({ err: error, meeting: id }, 'a recording could not be archived');
      return 'unreadable';
    }
  }
}
