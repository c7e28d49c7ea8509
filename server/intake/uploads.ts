import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { and, eq, getTableColumns, gt, isNull, lt } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { intakes, uploads } from '#db/schema/intake.ts';
import { newId } from '#shared/ids.ts';
import { fileLimits, type NextInput, type PartView, type UploadInput } from '#shared/intake.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { after } from '../clock.ts';
import { signedIn, transaction, type Ctx, type House, type Signed } from '../context.ts';
import { areAll, Incomplete, partCount, placeOf, type Begun, type Part } from '../outside/store.ts';

export type Upload = typeof uploads.$inferSelect;

export const uploadLimits = {
  /** Concurrent uploads of one person. */
  open: 10,
  /**
   * Bytes one person may announce in an hour without using them: files that arrive and are processed do not count.
   */
  unusedAnHour: 4 * 1024 ** 3,
  /** Bytes one person may announce in a day, used or not. */
  bytesADay: 96 * 1024 ** 3,
  /** Seconds after which an unfinished or unused upload is deleted. */
  lifetime: 86_400,
  /** Seconds without a request after which an upload gives way to a new one. */
  quiet: 3600,
} as const;

const fileSeconds = 3600;
const hour = 3600;
const day = 86_400;

/** Announces a file; its bytes count from now on. */
async function announce(
  ctx: Signed,
  { fileName, contentLength }: UploadInput,
  partBytes: number | null,
): Promise<Upload> {
  const now = ctx.clock.now();
  const ownerId = ctx.person.id;
  return transaction(ctx, async (tx) => {
    // The lock serializes announcements of a person, so that concurrent ones both count.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, ownerId)).for('update');
    const mine = await tx
      .select({ ...getTableColumns(uploads), state: intakes.state })
      .from(uploads)
      .leftJoin(intakes, eq(intakes.meetingId, uploads.meetingId))
      .where(and(eq(uploads.ownerId, ownerId), gt(uploads.createdAt, after(now, -day))));
    const unused = mine.filter(({ state }) => state === null || state === 'created');
    const opensAt = Math.max(
      fitsAt(unused, contentLength, { most: uploadLimits.unusedAnHour, per: hour }, now),
      fitsAt(mine, contentLength, { most: uploadLimits.bytesADay, per: day }, now),
    );
    if (opensAt > now.getTime()) throw tooMuch(opensAt, now);
    const open = mine.filter(({ completedAt }) => completedAt === null);
    const oldest = open.toSorted((one, other) => one.touchedAt.getTime() - other.touchedAt.getTime());
    for (const { id, touchedAt } of oldest.slice(0, Math.max(0, open.length + 1 - uploadLimits.open))) {
      const quietAt = after(touchedAt, uploadLimits.quiet);
      if (quietAt > now) throw tooMuch(quietAt.getTime(), now);
      await tx.delete(uploads).where(eq(uploads.id, id));
    }
    const fields = { id: newId(), ownerId, name: fileName, bytes: contentLength, storeKey: newId(), partBytes };
    const [row] = await tx
      .insert(uploads)
      .values({ ...fields, createdAt: now, touchedAt: now })
      .returning();
    if (!row) throw new Error('the upload could not be noted');
    return row;
  });
}

/** First time that a file of this length fits, as earlier ones fall out of the limit's window. */
function fitsAt(
  earlier: readonly Upload[],
  length: number,
  { most, per }: { most: number; per: number },
  now: Date,
): number {
  const counted = earlier
    .filter(({ createdAt }) => createdAt > after(now, -per))
    .toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  let excess = counted.reduce((sum, { bytes }) => sum + bytes, length) - most;
  let at = now;
  for (const { bytes, createdAt } of counted) {
    if (excess <= 0) break;
    excess -= bytes;
    at = after(createdAt, per);
  }
  return at.getTime();
}

const tooMuch = (opensAt: number, now: Date): Problem =>
  new Problem('RATE', {
    message: 'Upload limit reached',
    info: { reason: 'UPLOAD_LIMIT' },
    retryAfter: Math.max(1, Math.ceil((opensAt - now.getTime()) / 1000)),
  });

function begunOf({ storeKey, reference, bytes, partBytes }: Upload): Begun {
  if (reference === null || partBytes === null) throw new Problem('NO_ACCESS');
  return { key: storeKey, reference, bytes, partBytes };
}

/** The caller's upload; the error is the same for another person's and a missing one. */
async function ownUpload(ctx: Signed, id: string): Promise<Upload> {
  const [row] = await ctx.db.orm
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, id), eq(uploads.ownerId, ctx.person.id)));
  if (!row) throw new Problem('NO_ACCESS');
  return row;
}

/** An absolute address on the origin that the caller used. */
function absolute(ctx: Ctx, base: string, url: string): string {
  return new URL(url, base || ctx.origin()).href;
}

// ---- In parts ----------------------------------------------------------------------------------

export async function beginInParts(ctx: Ctx, input: UploadInput, base: string): Promise<PartView> {
  const signed = signedIn(ctx);
  const { store, db } = ctx;
  // The row comes first, so that anything the store begins is removed with it.
  const { id, storeKey } = await announce(signed, input, store.partBytes);
  const { reference } = await store.begin(storeKey, input.contentLength);
  const [upload] = await db.orm.update(uploads).set({ reference }).where(eq(uploads.id, id)).returning();
  if (!upload) throw new Problem('NO_ACCESS');
  return wantedPart(signed, upload, [], undefined, base);
}

/** Missing parts according to the store, so that a reloaded page can resume. */
export async function nextPart(
  ctx: Ctx,
  { id, part }: { id: string } & Pick<NextInput, 'part'>,
  base: string,
): Promise<PartView> {
  const signed = signedIn(ctx);
  const upload = await ownUpload(signed, id);
  if (upload.completedAt) return allThere(upload);
  const begun = begunOf(upload);
  const parts = await ctx.store.parts(begun);
  if (areAll(begun, parts) || parts.length === 0) {
    const done = await complete(ctx, upload, parts);
    if (done) return allThere(done);
  }
  await ctx.db.orm.update(uploads).set({ touchedAt: ctx.clock.now() }).where(eq(uploads.id, id));
  return wantedPart(signed, upload, parts, part, base);
}

async function wantedPart(
  ctx: Signed,
  upload: Upload,
  parts: readonly Part[],
  reported: NextInput['part'],
  base: string,
): Promise<PartView> {
  const begun = begunOf(upload);
  // A part of a wrong length counts as missing.
  const whole = new Set(
    parts.flatMap(({ number, bytes }) => (bytes === placeOf(begun, number).length ? [number] : [])),
  );
  let number = 1;
  while (whole.has(number)) number += 1;
  if (number > partCount(begun)) throw new Problem('CONFLICT');
  const { offset, length } = placeOf(begun, number);
  const sha256 = reported?.offset === offset ? Buffer.from(reported.sha256, 'hex') : null;
  const { url, headers } = await ctx.store.partAddress(begun, number, sha256);
  const received = [...whole].reduce((sum, one) => sum + placeOf(begun, one).length, 0);
  return {
    multipartUploadId: upload.id,
    uploadId: upload.id,
    offset,
    length,
    url: absolute(ctx, base, url),
    headers,
    received,
  };
}

const allThere = ({ id, bytes }: Upload): PartView => ({
  multipartUploadId: id,
  uploadId: id,
  offset: bytes,
  length: 0,
  url: '',
  headers: {},
  received: bytes,
});

/** Completes an upload; null if parts are missing. Concurrent calls are safe: the store accepts both. */
async function complete(house: House, upload: Upload, parts: readonly Part[]): Promise<Upload | null> {
  try {
    await house.store.complete(begunOf(upload));
  } catch (error) {
    if (error instanceof Incomplete) return null;
    throw error;
  }
  // The store no longer knows the parts of an upload that was completed before.
  const known = parts.length > 0 && parts.every(({ sha256 }) => sha256 !== null);
  const digest = known ? digestOf(parts.map(({ sha256 }) => sha256 ?? Buffer.alloc(0))) : null;
  const [row] = await house.db.orm
    .update(uploads)
    .set({ completedAt: house.clock.now(), ...(digest ? { digest } : {}) })
    .where(eq(uploads.id, upload.id))
    .returning();
  if (!row) throw new Problem('NO_ACCESS');
  return row;
}

export const digestOf = (parts: readonly Buffer[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** Deletes an upload, which frees its place at once. */
export async function abortUpload(ctx: Ctx, { id }: { id: string }): Promise<void> {
  const upload = await ownUpload(signedIn(ctx), id);
  if (upload.meetingId !== null) throw new Problem('CONFLICT');
  await dropUpload(ctx, upload);
}

export async function dropUpload({ db, store }: House, { id, storeKey }: Upload): Promise<void> {
  const gone = await db.orm
    .delete(uploads)
    .where(and(eq(uploads.id, id), isNull(uploads.meetingId)))
    .returning({ id: uploads.id });
  if (gone.length > 0) await store.remove(storeKey);
}

// ---- As a whole --------------------------------------------------------------------------------

/** Address and fields for a form that sends a file in one piece. */
export async function beginWhole(ctx: Ctx, input: UploadInput, base: string) {
  const upload = await announce(signedIn(ctx), input, null);
  const { token } = await ctx.keys.sign('file', upload.id, fileSeconds);
  return {
    url: absolute(ctx, base, '/store/files'),
    uploadId: upload.id,
    fields: [{ name: 'policy', value: token }],
  };
}

/** Receives the file of such a form. Fields besides the policy are ignored. */
export async function takeWhole(house: House, policy: string, content: AsyncIterable<Buffer>): Promise<void> {
  const signed = await house.keys.verify('file', policy);
  const [upload] = signed
    ? await house.db.orm
        .select()
        .from(uploads)
        .where(and(eq(uploads.id, signed.subject), isNull(uploads.partBytes)))
    : [];
  if (!upload) throw new Problem('GONE');
  if (upload.completedAt) throw new Problem('CONFLICT');
  await fill(house, upload, content);
}

/** Stores a file sent within a meeting's form. */
export async function takeAlong(ctx: Signed, given: UploadInput, content: AsyncIterable<Buffer>): Promise<Upload> {
  return fill(ctx, await announce(ctx, given, null), content, true);
}

async function fill(
  house: House,
  upload: Upload,
  content: AsyncIterable<Buffer>,
  ofAnyLength = false,
): Promise<Upload> {
  const { store, clock, db } = house;
  const digests: Buffer[] = [];
  let bytes = 0;
  try {
    const counted = counting(content, ofAnyLength ? fileLimits.mostBytes : upload.bytes, store.partBytes, digests);
    ({ bytes } = await store.put(upload.storeKey, counted as unknown as Readable));
    if (bytes === 0) throw invalid({ field: 'file', code: 'file_empty' });
    if (!ofAnyLength && bytes !== upload.bytes) throw invalid({ field: 'file', code: 'file_length' });
  } catch (error) {
    await store.remove(upload.storeKey).catch(() => {});
    if (ofAnyLength) await db.orm.delete(uploads).where(eq(uploads.id, upload.id));
    throw error;
  }
  const now = clock.now();
  const [row] = await db.orm
    .update(uploads)
    .set({ bytes, completedAt: now, touchedAt: now, digest: digestOf(digests) })
    .where(eq(uploads.id, upload.id))
    .returning();
  if (row) return row;
  await store.remove(upload.storeKey);
  throw new Problem('GONE');
}

/** Stops at the limit, and computes digests as for an upload in parts, so that equal files have equal digests. */
export async function* counting(
  content: AsyncIterable<Buffer>,
  most: number,
  partBytes: number,
  digests: Buffer[],
): AsyncGenerator<Buffer> {
  let hash = createHash('sha256');
  let inPart = 0;
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > most) throw new Problem('BIG');
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + partBytes - inPart);
      hash.update(piece);
      inPart += piece.length;
      at += piece.length;
      if (inPart < partBytes) continue;
      digests.push(hash.digest());
      hash = createHash('sha256');
      inPart = 0;
    }
    yield chunk;
  }
  if (inPart > 0) digests.push(hash.digest());
}

// ---- Completion ---------------------------------------------------------------------------------

/** Completes an upload, or throws if parts are missing. */
export async function completeUpload(ctx: Signed, id: string): Promise<Upload> {
  const upload = await ownUpload(ctx, id);
  if (upload.completedAt) return upload;
  const done = upload.partBytes === null ? null : await complete(ctx, upload, await ctx.store.parts(begunOf(upload)));
  if (!done)
    throw new Problem('CONFLICT', { message: 'The upload is not complete', info: { reason: 'UPLOAD_INCOMPLETE' } });
  return done;
}

// ---- Housekeeping ------------------------------------------------------------------------------

/** Deletes unfinished and unused uploads; their files follow as leftovers. */
export async function sweepUploads({ db, clock }: Pick<House, 'db' | 'clock'>): Promise<void> {
  const old = after(clock.now(), -uploadLimits.lifetime);
  await db.orm.delete(uploads).where(and(isNull(uploads.meetingId), lt(uploads.touchedAt, old)));
}
