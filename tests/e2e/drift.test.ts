// An imported transcript is compared with its sound: a shift is reported, corrected for everyone, and undone.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findPrograms } from '#server/media/ffmpeg.ts';
import { expectAccessible, openDesk } from '../support/browser.ts';
import { builtClient, openHouse, type TestHouse } from '../support/house.ts';
import { beginProcessing, createMeeting, multipart, processed, sendFile } from '../support/intake.ts';
import { share } from '../support/meetings.ts';
import type { Person } from '../support/people.ts';

const root = new URL('../..', import.meta.url).pathname;
const path = process.env['PATH'] ?? '';
const programs = await findPrograms(path);
const noSound = 'no ffmpeg on this machine';
const patient = { timeout: 60_000 };

const desk = openDesk();
let house: TestHouse;
beforeAll(async () => {
  house = await openHouse({ client: builtClient, env: { PATH: path } });
});
afterAll(() => house?.close());

const sound = readFileSync(join(root, 'server/demo/talk.mp3'));
const { segments } = JSON.parse(readFileSync(join(root, 'server/demo/talk.json'), 'utf8')) as {
  segments: { speaker: string; words: { w: string; f: number; t: number }[] }[];
};
const clock = (ms: number) => new Date(ms).toISOString().slice(11, 23);
/** Captions of the recording, later by that many milliseconds. */
const captions = (by: number): string =>
  `WEBVTT\n\n${segments
    .flatMap(({ speaker, words }) =>
      words.map(({ w, f, t }, i) => `${clock(f + by)} --> ${clock(t + by)}\n${i === 0 ? `${speaker}: ` : ''}${w}\n`),
    )
    .map((cue, i) => `${i + 1}\n${cue}`)
    .join('\n')}`;

async function imported(owner: Person, by: number): Promise<string> {
  const uploadId = await sendFile(owner, 'talk.mp3', sound);
  const transcript = { fileName: 'talk.vtt', content: captions(by) };
  const form = multipart({
    title: 'Talk',
    model: 'external',
    lang: 'en-US',
    uploadId,
    transcript,
    transcriptType: 'ZOOM',
  });
  const { id } = await createMeeting(owner, form);
  await beginProcessing(owner, id);
  expect(await processed(owner, id)).toMatchObject({ percentage: 100 });
  return id;
}
const firstTime = async (person: Person, id: string): Promise<number> =>
  ((await person.get(`/api/meetings/${id}`)).body as { doc: { transcript: { segments: { start: number }[] } } }).doc
    .transcript.segments[0]?.start ?? -1;

it(
  'five seconds late: reported, shifted for everyone, undone, and finally ignored',
  { timeout: 300_000 },
  async ({ skip }) => {
    skip(!programs, noSound);
    const [ann, ben] = (await house.people(2)) as [Person, Person];
    const id = await imported(ann, 5000);
    await share(house, id, ben, ['read', 'discover', 'write']);
    const before = await firstTime(ann, id);
    const [page, bens] = await Promise.all([desk.seat(ann), desk.seat(ben, { width: 'phone', scheme: 'dark' })]);
    await Promise.all([page.goto(`/meeting/${id}`), bens.goto(`/meeting/${id}`)]);
    const said = /The sound is (4\.9|5|5\.1) s ahead of the transcript/;
    await Promise.all([page.getByText(said).waitFor(patient), bens.getByText(said).waitFor(patient)]);
    await expectAccessible(page);
    await expectAccessible(bens);
    await page.getByRole('button', { name: /^Shift all times by -(4\.9|5|5\.1) s$/ }).click();
    await bens.getByText(said).waitFor({ state: 'hidden', ...patient });
    await expect.poll(() => firstTime(ann, id), patient).toBeLessThan(before - 4.8);
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await bens.getByText(said).waitFor(patient);
    await expect.poll(() => firstTime(ann, id), patient).toBe(before);
    await bens.getByRole('button', { name: 'Keep times' }).click();
    await page.getByText(said).waitFor({ state: 'hidden', ...patient });
    expect(await firstTime(ann, id)).toBe(before);
  },
);

it('no report where both agree; a replaced transcript is compared, too', async ({ skip }) => {
  skip(!programs, noSound);
  const ann = await house.person();
  const id = await imported(ann, 0);
  const drift = () =>
    house.house.documents.read(id, (doc) => doc.getMap('about').get('drift') as { start: number } | undefined);
  expect(await drift()).toBeUndefined();
  const transcript = { fileName: 'talk.vtt', content: captions(8000) };
  expect(
    (await ann.post(`/api/meetings/${id}/replace`, undefined, multipart({ transcript, transcriptType: 'ZOOM' })))
      .status,
  ).toBe(200);
  expect((await drift())?.start).toBeLessThan(-7700);
});
