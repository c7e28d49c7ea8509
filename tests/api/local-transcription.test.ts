// Transcription of a recording on this machine, by models small enough to compute the expected result.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noSherpa } from '#server/engines/local-engine.ts';
import { intakeFailures, type LanguagesView } from '#shared/intake.ts';
import { readSegments } from '#shared/meetings/transcript.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, multipart, processed } from '#tests/support/intake.ts';
import { deep, layModels, shrill, tone } from '#tests/support/models.ts';
import { noFfmpeg, recorded, silence } from '#tests/support/speech.ts';

const without = noSherpa() ?? noFfmpeg();
const heavy = { timeout: 300_000 };

let folder: string;
let house: TestHouse;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'colloquy-models-'));
  layModels(folder, ['beeps', 'activity', 'voices'], ['en', 'de']);
  house = await openHouse({ env: { MODELS_DIR: folder, PATH: process.env['PATH'] ?? '' } });
});
afterAll(async () => {
  await house?.close();
  rmSync(folder, { recursive: true, force: true });
});

const talk = recorded(silence(1), tone(deep, 1), silence(3), tone(shrill, 1), tone(deep, 1), silence(0.5));
const form = (more: Record<string, string> = {}) =>
  multipart({
    ...{ title: 'Beeps', model: 'local-beeps', lang: 'de-DE', spk_num: '0' },
    ...{ file: { fileName: 'talk.wav', content: talk }, ...more },
  });

test('it is offered in the languages it knows, with speakers to count, and for nothing', async ({ skip }) => {
  if (without) return skip(without);
  const { models } = (await house.stranger().get('/api/languages')).body as LanguagesView;
  expect(models.map(({ name, title, price }) => [name, title, price])).toEqual([
    ['local-beeps', 'Beeps', 0],
    ['external', 'External transcript', 0],
  ]);
  expect(models[0]?.languages.map(({ lang }) => lang)).toEqual(['en-US', 'en-GB', 'en-AU', 'en-IN', 'de-DE']);
  expect(models[0]?.languages[0]).toMatchObject({ allowAutoSpeakers: true, onlyAutoSpeakers: false });
  const ann = await house.person();
  const other = await ann.post('/api/meetings-fast', undefined, form({ lang: 'fr-FR' }));
  expect([other.status, other.problem.info.errors]).toEqual([422, [{ field: 'lang', code: 'lang' }]]);
});

test('it is transcribed: words, their times, and their speakers', heavy, async ({ skip }) => {
  if (without) return skip(without);
  const ann = await house.person();
  const { id, costs } = await createMeeting(ann, form());
  expect(costs).toMatchObject([{ cost: 0, freeMinutes: 0, isEnough: true }]);
  expect((await beginProcessing(ann, id)).status).toBe(200);
  expect(await processed(ann, id)).toMatchObject({ percentage: 100, failures_present: false });
  const segments = await house.house.documents.read(id, (doc) => readSegments(doc));
  expect(segments.map(({ text }) => text)).toEqual(['low', 'high', 'low']);
  const [first, second, third] = segments.map(({ speaker }) => speaker);
  expect(first).not.toBe(second);
  expect([typeof first, third]).toEqual(['string', first]);
});

test('damaged models fail the recording with that reason', heavy, async ({ skip }) => {
  if (without) return skip(without);
  const ann = await house.person();
  const { id } = await createMeeting(ann, form());
  writeFileSync(join(folder, 'beeps/encoder.onnx'), 'no network');
  expect((await beginProcessing(ann, id)).status).toBe(200);
  expect(await processed(ann, id)).toMatchObject({
    failures_present: true,
    failure_messages: [intakeFailures.engine_broken],
    failure: 'engine_broken',
  });
});
