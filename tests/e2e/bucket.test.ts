// A house that stores its recordings in a bucket, on a real S3 server: from a browser's upload until the last byte is
// deleted.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { eq } from 'drizzle-orm';
import { media } from '#db/schema/media.ts';
import { meetings } from '#db/schema/meetings.ts';
import { sweepLeftovers } from '#server/meetings/leftovers.ts';
import { openDesk } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { beginProcessing, createMeeting, multipart, processed, sendFile, zoomTranscript } from '../support/intake.ts';
import type { Person } from '../support/people.ts';
import { noS3, openS3, type TestS3 } from '../support/s3.ts';

const root = new URL('../..', import.meta.url).pathname;
const patient = { timeout: 60_000 };
const without = noS3();
const sound = readFileSync(join(root, 'server/demo/talk.mp3'));
/** Minimum size of a part in a bucket. */
const partBytes = 5 * 1024 * 1024;

if (without) test('a house on S3', ({ skip }) => skip(without));
else {
  let s3: TestS3;
  let bucket: S3Client;
  let house: TestHouse;
  // The browser reports requests that the policy blocks.
  const desk = openDesk(/Content Security Policy/);
  beforeAll(async () => {
    s3 = await openS3();
    const { region, accessKeyId, secretAccessKey } = s3.config;
    const endpoint = s3.config.endpoint ?? '';
    const credentials = { accessKeyId, secretAccessKey };
    bucket = new S3Client({
      region,
      endpoint,
      forcePathStyle: true,
      credentials,
      requestChecksumCalculation: 'WHEN_REQUIRED',
    });
    const env = {
      S3_BUCKET: s3.config.bucket,
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_PATH_STYLE: 'on',
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
      PATH: process.env['PATH'] ?? '',
    };
    house = await openHouse({ client: builtClient, env });
  }, 180_000);
  afterAll(async () => {
    await house?.close();
    bucket?.destroy();
    await s3?.close();
  });

  const objects = async (): Promise<string[]> => {
    const { Contents = [] } = await bucket.send(new ListObjectsV2Command({ Bucket: s3.config.bucket }));
    return Contents.map(({ Key = '' }) => Key);
  };
  const original = async (person: Person, id: string): Promise<string> => {
    const { body } = await person.get(`/api/meetings/${id}/about`);
    return (body as { media: { tag: string; src: string }[] }).media.find(({ tag }) => tag === 'audio')?.src ?? '';
  };
  /** Deletes a recording as after the time to restore it. */
  async function forGood(id: string): Promise<void> {
    await house.database.orm.delete(meetings).where(eq(meetings.id, id));
    await sweepLeftovers(house.house);
  }

  describe('a house on S3', () => {
    it('parts, work, ranges, another transcript, deletion: no object remains', async () => {
      const ann = await house.person();
      const file = Buffer.concat(Array.from({ length: Math.ceil((partBytes * 1.2) / sound.length) }, () => sound));
      const uploadId = await sendFile(ann, 'talk.mp3', file);
      const transcript = { fileName: 'talk.vtt', content: zoomTranscript };
      const form = { title: 'Talk', model: 'external', lang: 'en-US', uploadId, transcript, transcriptType: 'ZOOM' };
      const { id } = await createMeeting(ann, multipart(form));
      await beginProcessing(ann, id);
      expect(await processed(ann, id)).toMatchObject({ percentage: 100 });
      const src = await original(ann, id);
      const range = await ann.get(src, { headers: { Range: `bytes=${partBytes - 10}-${partBytes + 9}` } });
      expect(range.status).toBe(206);
      expect(Buffer.from(range.bytes).equals(file.subarray(partBytes - 10, partBytes + 10))).toBe(true);
      const rows = await house.database.orm.select().from(media).where(eq(media.meetingId, id));
      expect((await objects()).toSorted()).toEqual(rows.map(({ storeKey }) => storeKey).toSorted());
      const other = { fileName: 'b.vtt', content: zoomTranscript.replace('Tom: Yes.', 'Tom: No.') };
      const replaced = await ann.post(
        `/api/meetings/${id}/replace`,
        undefined,
        multipart({ transcript: other, transcriptType: 'ZOOM' }),
      );
      expect(replaced.status).toBe(200);
      expect((await ann.get(src, { headers: { Range: 'bytes=0-1' } })).status).toBe(206);
      expect((await ann.delete(`/api/meetings/${id}`)).status).toBeLessThan(300);
      expect((await ann.get(src)).status).toBe(403);
      await forGood(id);
      expect(await objects()).toEqual([]);
    });

    it('an upload that was abandoned leaves nothing either', async () => {
      const ann = await house.person();
      const uploadId = await sendFile(ann, 'talk.mp3', sound);
      expect(await objects()).not.toEqual([]);
      expect((await ann.delete(`/api/multipart-uploads/${uploadId}`)).status).toBe(204);
      await sweepLeftovers(house.house);
      expect(await objects()).toEqual([]);
    });

    it('a page may send to the bucket and nowhere else', async () => {
      const ann = await house.person();
      const page = await desk.seat(ann);
      const answer = await page.goto('/');
      const policy = answer?.headers()['content-security-policy'] ?? '';
      expect(policy).toContain(`connect-src 'self' ${s3.config.endpoint}`);
      const begun = await ann.post('/api/multipart-uploads', { fileName: 'a.mp3', contentLength: sound.length });
      const { url } = begun.body as { url: string };
      expect(new URL(url).origin).toBe(s3.config.endpoint);
      // Only the policy counts: whether the browser sends the request, not how that server treats other origins.
      const tried = await page.evaluate(async (there) => {
        const refused: string[] = [];
        document.addEventListener('securitypolicyviolation', ({ blockedURI }) => refused.push(blockedURI));
        await fetch(there, { method: 'PUT', body: 'x', mode: 'no-cors' }).catch(() => {});
        await fetch('http://127.0.0.1:9/', { mode: 'no-cors' }).catch(() => {});
        await new Promise((resolve) => setTimeout(resolve));
        return refused;
      }, url);
      expect(tried.map((one) => new URL(one).origin)).toEqual(['http://127.0.0.1:9']);
      await expect.poll(() => page.title(), patient).not.toBe('');
    });
  });
}
