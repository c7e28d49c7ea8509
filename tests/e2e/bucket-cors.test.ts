// Uploads from a page to a bucket of another origin, on a real S3 server: what our policy allows, what the bucket
// allows, and how a recording is uploaded when the bucket refuses the page.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { uploads } from '#db/schema/intake.ts';
import type { PartView } from '#shared/intake.ts';
import type { MeetingAbout } from '#shared/meetings/meeting.ts';
import { expectAccessible, hurried, openDesk } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { processed, zoomTranscript } from '../support/intake.ts';
import type { Person } from '../support/people.ts';
import { freePort } from '../support/ports.ts';
import { noS3, openS3, type TestS3 } from '../support/s3.ts';

const without = noS3();
const patient = { timeout: 90_000 };
const sound = readFileSync(join(new URL('../..', import.meta.url).pathname, 'server/demo/talk.mp3'));
const talk = { name: 'Interview 4.mp3', mimeType: 'audio/mpeg', buffer: sound };
const transcript = { name: 'talk.vtt', mimeType: 'text/vtt', buffer: Buffer.from(zoomTranscript) };

interface Around {
  s3: TestS3;
  house: TestHouse;
}

/** Opens a house with a bucket that allows its pages, or no pages. */
async function houseOn(which: 'open' | 'closed'): Promise<Around> {
  const port = await freePort();
  const s3 = await openS3(which === 'open' ? { origin: `http://127.0.0.1:${port}` } : {});
  const { region, accessKeyId, secretAccessKey, bucket, endpoint } = s3.config;
  const env = {
    PORT: String(port),
    S3_BUCKET: bucket,
    S3_ENDPOINT: endpoint ?? '',
    S3_REGION: region,
    S3_PATH_STYLE: 'on',
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
    PATH: process.env['PATH'] ?? '',
  };
  return { s3, house: await openHouse({ client: builtClient, env }) };
}

const dialog = (page: Page) => page.getByRole('dialog');
const idOf = (page: Page): string => basename(new URL(page.url()).pathname);

async function choose(page: Page): Promise<void> {
  await page.goto('/');
  await page.getByRole('button', { name: 'Add recording' }).first().click();
  await page.getByLabel('Choose local file').setInputFiles(talk);
}

/** Continues from the chosen recording to the page of its transcript, until everything is ready. */
async function goOn(page: Page, person: Person): Promise<void> {
  await dialog(page)
    .getByRole('radio', { name: /External transcript/ })
    .check();
  await dialog(page).getByRole('button', { name: 'Next' }).click();
  await dialog(page).getByLabel('Format').selectOption('ZOOM');
  await page.getByLabel('Transcript file').setInputFiles(transcript);
  await dialog(page).getByRole('button', { name: 'Next' }).click();
  await page.getByText('The transcript is being prepared').waitFor(patient);
  await page.getByRole('button', { name: 'Open recording' }).click();
  await page.getByText('Thanks for joining, shall we start?').waitFor(patient);
  await processed(person, idOf(page));
}

if (without) test('a page and a bucket', ({ skip }) => skip(without));
else {
  // The browser reports each answer that a page may not read.
  const desk = openDesk(/blocked by CORS policy/);

  describe('a bucket that allows the page', () => {
    let here: Around;
    beforeAll(async () => {
      here = await houseOn('open');
    }, 180_000);
    afterAll(async () => {
      await here?.house.close();
      await here?.s3.close();
    });

    it('is the only other place a page may send to, and accepts a file', async () => {
      const { house, s3 } = here;
      const ann = await house.person();
      const page = await desk.seat(ann);
      const bucket = s3.config.endpoint ?? '';
      const sent: Request[] = [];
      page.on('requestfinished', (request) => request.url().startsWith(bucket) && sent.push(request));
      await choose(page);
      await page.getByText('Interview 4.mp3 uploaded').waitFor(patient);
      const policy = (await page.context().request.get('/')).headers()['content-security-policy'] ?? '';
      expect(/connect-src ([^;]*)/.exec(policy)?.[1]?.trim().split(/\s+/)).toEqual(["'self'", bucket]);

      const put = sent.find((request) => request.method() === 'PUT');
      // The header shows that the page may read the answer; answers of other origins are hidden from it.
      expect((await put?.response())?.headers()['access-control-allow-origin']).toBe(house.origin);
      expect(await put?.headerValue('x-amz-checksum-sha256')).toMatch(/^[\w+/]{43}=$/);
      await goOn(page, ann);
      const { body } = await ann.get(`/api/meetings/${idOf(page)}/about`);
      const { src = '' } = (body as MeetingAbout).media.find(({ tag }) => tag === 'audio') ?? {};
      expect(Buffer.compare((await ann.get(src)).bytes, sound)).toBe(0);
    });

    it('sends answers that only this page may read, with their ETag', async () => {
      const { house } = here;
      const ann = await house.person();
      const content = 'x'.repeat(1000);
      const begun = await ann.post('/api/multipart-uploads', { fileName: 'a.mp3', contentLength: content.length });
      const { multipartUploadId } = begun.body as PartView;
      const part = { offset: 0, sha256: createHash('sha256').update(content).digest('hex') };
      const next = await ann.post(`/api/multipart-uploads/${multipartUploadId}/next`, { multipartUploadId, part });
      const { url, headers } = next.body as PartView;
      const page = await desk.seat(ann);
      await page.goto('/');
      const etag = await page.evaluate(
        async ([there, named, body]) => {
          const answer = await fetch(there, { method: 'PUT', headers: named, body });
          return [answer.type, answer.headers.get('etag')];
        },
        [url, headers, content] as const,
      );
      expect(etag).toEqual(['cors', expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
      const asked = {
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'x-amz-checksum-sha256',
      };
      const preflight = async (origin: string) =>
        (await fetch(url, { method: 'OPTIONS', headers: { ...asked, Origin: origin } })).headers.get(
          'access-control-allow-origin',
        );
      expect(await preflight(house.origin)).toBe(house.origin);
      expect(await preflight('http://elsewhere.example')).toBeNull();
    });
  });

  describe('a bucket that refuses the page', () => {
    let here: Around;
    beforeAll(async () => {
      here = await houseOn('closed');
    }, 180_000);
    afterAll(async () => {
      await here?.house.close();
      await here?.s3.close();
    });

    it('is reported as taking no parts, and the file is uploaded in one piece', async () => {
      const { house, s3 } = here;
      const ann = await house.person();
      const page = await desk.seat(ann, { width: 'phone', scheme: 'dark' });
      await page.clock.install();
      await choose(page);
      const told = dialog(page)
        .getByRole('alert')
        .getByText('Interview 4.mp3 will upload in one piece when you continue.');
      // The page pauses for half a minute between its tries.
      await hurried(page, 1000, told.waitFor(patient));
      await expectAccessible(page);
      // The operator finds the reason in the log.
      await expect
        .poll(() => house.log(), patient)
        .toContain(`${s3.config.endpoint} gave no answer; is it there, and does it let ${house.origin} PUT (CORS)?`);
      await goOn(page, ann);
      const rows = await house.database.orm.select().from(uploads);
      expect(rows.filter(({ meetingId }) => meetingId !== null)).toMatchObject([{ bytes: sound.length }]);
    });
  });
}
