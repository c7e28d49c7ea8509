// A recording without a transcript (model `none`): ready when it can be played, free, and transcribed later.
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { LanguagesView } from '#shared/intake.ts';
import { readSegments } from '#shared/meetings/transcript.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, multipart, processed, tone, zoomTranscript } from '#tests/support/intake.ts';
import type { Person } from '#tests/support/people.ts';
import { openRecogniser, type Recogniser } from '#tests/support/speech.ts';

let house: TestHouse;
let server: Recogniser;
/** Until then, the recogniser does not answer. */
let heard = Promise.resolve();
beforeAll(async () => {
  server = await openRecogniser(async () => {
    await heard;
    return { body: { segments: [{ start: 0, end: 1, text: ' Said later.' }] } };
  });
  house = await openHouse({ env: { TRANSCRIBE_URL: server.url, PATH: process.env['PATH'] ?? '' } });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await house?.close();
  await server?.close();
});

async function added(person: Person, seconds = 2): Promise<string> {
  const file = { fileName: 'talk.wav', content: tone(seconds) };
  const { id, costs } = await createMeeting(person, multipart({ title: 'Monday', model: 'none', file }));
  expect(costs).toMatchObject([{ cost: 0, freeMinutes: 0, isEnough: true }]);
  expect((await beginProcessing(person, id)).status).toBe(200);
  expect(await processed(person, id)).toEqual({
    percentage: 100,
    failures_present: false,
    failure_messages: [],
    untranscribed: true,
  });
  return id;
}
const minutesOf = async (person: Person) => (await person.get('/api/transcribe-info')).body.freeMinutes as number;
const textsOf = (id: string) =>
  house.house.documents.read(id, (doc) =>
    readSegments(doc)
      .map(({ text }) => text)
      .filter(Boolean),
  );

test('is ready with its media and its title, takes no minutes, and is in no list of models', async () => {
  const ann = await house.person();
  const before = await minutesOf(ann);
  const id = await added(ann);
  const { body } = await ann.get(`/api/meetings/${id}`);
  expect(body.doc.title).toBe('Monday');
  expect(body.doc.transcript.segments.filter(({ text }: { text: string }) => text !== '')).toEqual([]);
  expect(body.media.map(({ tag }: { tag: string }) => tag)).toContain('audio');
  expect(body.costs).toBeNull();
  expect(await minutesOf(ann)).toBe(before);
  expect(server.asked).toHaveLength(0);
  expect(await house.mails(ann.email)).toEqual([]);
  const { models, languages } = (await ann.get('/api/languages')).body as LanguagesView;
  expect(models.map(({ name }) => name)).toEqual(['speech', 'external']);
  expect(languages[0]?.models).not.toContain('none');
});

test('takes a comment and an outcome at a time', async () => {
  const ann = await house.person();
  const id = await added(ann);
  const text = JSON.stringify({
    type: 'doc',
    content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Listen here' }] }],
  });
  const comment = await ann.post(`/api/meetings/${id}/comments`, { start: 1, end: 1, text });
  expect(comment.status, comment.text).toBeLessThan(300);
  const outcome = { type: 'decisions', start: 1, end: 2, text: 'It is' };
  const added_ = await ann.post(`/api/meetings/${id}/outcomes`, { outcome });
  expect(added_.status, added_.text).toBeLessThan(300);
  const { doc } = (await ann.get(`/api/meetings/${id}`)).body;
  expect(doc.comments).toMatchObject([{ start: 1 }]);
  expect(doc.outcomes).toMatchObject([{ start: 1, end: 2 }]);
});

test('is transcribed later, at the price that was shown, and once', async () => {
  const ann = await house.person();
  const id = await added(ann, 61);
  const before = await minutesOf(ann);
  const costs = await ann.get(`/api/meetings/${id}/costs?model=speech`);
  expect([costs.status, costs.body]).toMatchObject([200, [{ cost: 0, freeMinutes: 61 / 60 }]]);
  // Without another model it only tells how far it is.
  expect((await beginProcessing(ann, id)).body.progress).toMatchObject({ percentage: 100, untranscribed: true });
  expect((await beginProcessing(ann, id, { model: 'none' })).body.progress.percentage).toBe(100);
  expect((await beginProcessing(ann, id, { model: 'speech', cost: 1 })).problem.code).toBe('PRICE');
  expect((await beginProcessing(ann, id, { model: 'oracle' })).problem.info.errors).toEqual([
    { field: 'model', code: 'model' },
  ]);
  expect((await beginProcessing(ann, id, { model: 'external' })).problem.info.errors).toEqual([
    { field: 'transcript', code: 'required' },
  ]);
  const both = await Promise.all([1, 2].map(() => beginProcessing(ann, id, { model: 'speech', language: 'en-US' })));
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  const after = await processed(ann, id);
  expect(after).toEqual({ percentage: 100, failures_present: false, failure_messages: [] });
  expect(await minutesOf(ann)).toBeCloseTo(before - 61 / 60, 6);
  expect((await textsOf(id)).join(' ')).toContain('Said later.');
  // The transcript is complete.
  expect((await beginProcessing(ann, id, { model: 'speech' })).body.progress.percentage).toBe(100);
  expect((await ann.get(`/api/meetings/${id}/costs?model=speech`)).problem.code).toBe('CONFLICT');
  expect(await minutesOf(ann)).toBeCloseTo(before - 61 / 60, 6);
});

test('with a transcript that replaced the empty one is not offered for transcription any more', async () => {
  const ann = await house.person();
  const id = await added(ann);
  const form = { transcript: { fileName: 'a.vtt', content: zoomTranscript }, transcriptType: 'ZOOM' };
  expect((await ann.post(`/api/meetings/${id}/replace`, undefined, multipart(form))).status).toBe(200);
  const { progress } = (await ann.get(`/api/meetings/${id}/about`)).body;
  expect(progress).toEqual({ percentage: 100, failures_present: false, failure_messages: [] });
  expect((await beginProcessing(ann, id, { model: 'speech' })).body.progress.percentage).toBe(100);
  expect(await textsOf(id)).toHaveLength(3);
});

test('is not created with a transcript, which would never be entered', async () => {
  const ann = await house.person();
  const form = {
    title: 'Monday',
    model: 'none',
    file: { fileName: 'talk.wav', content: tone(2) },
    transcript: { fileName: 'a.vtt', content: zoomTranscript },
    transcriptType: 'ZOOM',
  };
  const { status, problem } = await ann.post('/api/meetings-fast', undefined, multipart(form));
  expect(status).toBe(422);
  expect(problem.info.errors).toEqual([{ field: 'transcript', code: 'invalid' }]);
});

test('is not given a transcript from a file when it is transcribed while the file is read', async () => {
  const ann = await house.person();
  const id = await added(ann);
  let finish = () => {};
  heard = new Promise((resolve) => {
    finish = resolve;
  });
  try {
    const { transcripts } = house.house;
    const read = transcripts.read.bind(transcripts);
    vi.spyOn(transcripts, 'read').mockImplementationOnce(async (given) => {
      expect((await beginProcessing(ann, id, { model: 'speech' })).status).toBe(200);
      return read(given);
    });
    const form = { transcript: { fileName: 'a.vtt', content: zoomTranscript }, transcriptType: 'ZOOM' };
    const answer = await ann.post(`/api/meetings/${id}/replace`, undefined, multipart(form));
    expect([answer.status, answer.problem.code, answer.problem.message]).toEqual([
      409,
      'CONFLICT',
      'It is being processed',
    ]);
  } finally {
    finish();
  }
  expect(await processed(ann, id)).toMatchObject({ percentage: 100, failures_present: false });
  expect(await textsOf(id)).toEqual(['Said later.']);
});
