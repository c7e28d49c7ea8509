// Transcription by an engine: its words enter the document while people work on it.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pieceRate } from '#server/engines/pieces.ts';
import { trialMinutes } from '#shared/billing.ts';
import { minutesLeft } from '#tests/support/billing.ts';
import { intakeFailures, type LanguagesView } from '#shared/intake.ts';
import { readAbout } from '#shared/meetings/about.ts';
import { replaceRanges, readSegments } from '#shared/meetings/transcript.ts';
import { readWords } from '#shared/meetings/words.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, multipart, processed, type FilePart } from '#tests/support/intake.ts';
import type { Person } from '#tests/support/people.ts';
import {
  noFfmpeg,
  noSpeech,
  openRecogniser,
  recorded,
  silence,
  speak,
  type Asked,
  type Recogniser,
} from '#tests/support/speech.ts';

let house: TestHouse;
let server: Recogniser;
beforeAll(async () => {
  server = await openRecogniser();
  house = await openHouse({
    env: { TRANSCRIBE_URL: server.url, TRANSCRIBE_KEY: 'the-key', PATH: process.env['PATH'] ?? '' },
  });
});
afterEach(() => {
  server.asked.length = 0;
  server.answers = () => 'hear';
});
afterAll(async () => {
  await house?.close();
  await server?.close();
});

const form = (content: Buffer, more: Record<string, string | FilePart> = {}) =>
  multipart({ title: 'Monday', model: 'speech', lang: 'en-US', file: { fileName: 'talk.wav', content }, ...more });
const read = <T>(id: string, work: Parameters<typeof house.house.documents.read<T>>[1]) =>
  house.house.documents.read(id, work);
const textsOf = (id: string) => read(id, (doc) => readSegments(doc).map(({ text }) => text));
const left = (person: Person) => minutesLeft(house, person);
const until = async (true_: () => Promise<boolean>) => {
  while (!(await true_())) await sleep(20);
};
/** Noise, so that it is sent; only its length matters. */
const noise = (seconds: number): Buffer => {
  const samples = silence(seconds);
  for (let at = 0; at < samples.length; at += 2) samples.writeInt16LE(at % 64 < 32 ? 9000 : -9000, at);
  return samples;
};
/** A file whose length only an external program can read. */
function aiff(seconds: number): Buffer {
  const sound = noise(seconds);
  const head = Buffer.alloc(54);
  head.write('FORM', 0, 'latin1');
  head.writeUInt32BE(46 + sound.length, 4);
  head.write('AIFFCOMM', 8, 'latin1');
  head.writeUInt32BE(18, 16);
  head.writeUInt16BE(1, 20);
  head.writeUInt32BE(sound.length / 2, 22);
  head.writeUInt16BE(16, 26);
  // 16000 as a number of 80 bits.
  Buffer.from('400cfa00000000000000', 'hex').copy(head, 28);
  head.write('SSND', 38, 'latin1');
  head.writeUInt32BE(8 + sound.length, 42);
  return Buffer.concat([head, sound]);
}
const secondsOf = ({ wav }: Asked) => (wav.length - 44) / 2 / pieceRate;
const saying = (text: string) => ({ body: { segments: [{ start: 1, end: 3, text }] } });

describe('the models', () => {
  test("have the engine first, with its price, and the transcript of one's own", async () => {
    const { models, languages } = (await house.stranger().get('/api/languages')).body as LanguagesView;
    expect(models.map(({ name, price }) => [name, price])).toEqual([
      ['speech', 0.15],
      ['external', 0],
    ]);
    expect(languages[0]?.models).toEqual(['speech', 'external']);
    expect(models[0]?.languages[0]).toMatchObject({ lang: 'en-US', allowAutoSpeakers: true, onlyAutoSpeakers: true });
  });

  test(
    'cost by the length of a recording, also of one that does not tell it',
    { timeout: 300_000 },
    async ({ skip }) => {
      const without = noFfmpeg();
      if (without) return skip(without);
      const ann = await house.person();
      const file = { fileName: 'talk.aiff', content: aiff(61) };
      expect((await createMeeting(ann, form(aiff(1), { file }))).costs).toMatchObject([
        { cost: 0, freeMinutes: 61 / 60 },
      ]);
    },
  );

  test('hold none that is not there, and a recording is needed for one that is', async () => {
    const ann = await house.person();
    const unknown = await ann.post('/api/meetings-fast', undefined, form(recorded(noise(1)), { model: 'oracle' }));
    expect([unknown.status, unknown.problem.info.errors]).toEqual([422, [{ field: 'model', code: 'model' }]]);
    const none = await ann.post('/api/meetings-fast', undefined, multipart({ title: 'a', model: 'speech' }));
    expect([none.status, none.problem.info.errors]).toEqual([422, [{ field: 'file', code: 'required' }]]);
  });
});

describe('a recording', () => {
  test(
    'is heard: the right words at the right times, trial minutes taken, one mail',
    { timeout: 300_000 },
    async ({ skip }) => {
      const without = noSpeech();
      if (without) return skip(without);
      const sentences = [
        'i think that is a very good question',
        'the weather was very good and the children played in the garden',
      ];
      const voices = await Promise.all(sentences.map(speak));
      const [first = silence(0), second = silence(0)] = voices;
      const ann = await house.person();
      const { id, costs } = await createMeeting(ann, form(recorded(silence(1), first, silence(3), second)));
      expect(costs).toMatchObject([{ cost: 0, freeMinutes: 10 / 60, isEnough: true }]);
      expect((await beginProcessing(ann, id, { vocabulary: 'Żółć' })).status).toBe(200);
      expect(await processed(ann, id)).toMatchObject({ percentage: 100, failures_present: false });
      expect(server.asked[0]?.fields['prompt']).toEqual(['Żółć.']);
      // A pause of three seconds begins a paragraph.
      expect(await textsOf(id)).toEqual(sentences);
      const spoken = await read(id, (doc) =>
        readWords(doc).segments.flatMap(({ words }) =>
          words
            .filter(({ source }) => source !== null)
            .map(({ text, from, to, confidence }) => ({ text, from, to, confidence })),
        ),
      );
      const begins = [1000, 1000 + first.length / 32 + 3000];
      const ends = [1000 + first.length / 32, 1000 + first.length / 32 + 3000 + second.length / 32];
      let nth = 0;
      for (const [i, sentence] of sentences.entries())
        for (const text of sentence.split(' ')) {
          const word = spoken[nth++];
          expect(word?.text).toBe(text);
          expect(word?.from).toBeGreaterThanOrEqual((begins[i] ?? 0) - 250);
          expect(word?.to).toBeLessThanOrEqual((ends[i] ?? 0) + 250);
          expect(word?.confidence).not.toBeNull();
        }
      expect(nth).toBe(spoken.length);
      expect(await read(id, (doc) => readAbout(doc))).toEqual({ title: 'Monday', lang: 'en-US' });
      expect(await left(ann)).toBeCloseTo(trialMinutes - 10 / 60, 6);
      expect((await house.mails(ann.email)).map(({ subject }) => subject)).toEqual(['Your recording is ready']);
      const { body } = await ann.get(`/api/meetings/${id}/about`);
      expect((body as { media: { tag: string }[] }).media.map(({ tag }) => tag)).toContain('audio');
      const original = (await ann.get(`/api/meetings/${id}/original`)).body as {
        seeds: { segments: { text: string }[] }[];
      };
      expect(original.seeds.flatMap(({ segments }) => segments.map(({ text }) => text))).toEqual(sentences);
    },
  );

  test(
    'comes piece by piece, and what people change meanwhile stays as they left it',
    { timeout: 300_000 },
    async ({ skip }) => {
      const without = noFfmpeg();
      if (without) return skip(without);
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      server.answers = async (_asked, nth) => {
        if (nth === 2) await released;
        return saying(` Piece ${nth} was said.`);
      };
      const ann = await house.person();
      const { id, costs } = await createMeeting(ann, form(recorded(noise(70))));
      await beginProcessing(ann, id, { cost: costs[0]?.cost });
      await until(async () => (await textsOf(id)).length > 0);
      expect(await textsOf(id)).toEqual(['Piece 1 was said.']);
      // The recording can be played and corrected already, and is shown as in progress.
      const about = async () =>
        (await ann.get(`/api/meetings/${id}/about`)).body as { media: unknown[]; progress: { percentage: number } };
      await until(async () => (await about()).progress.percentage > 20);
      const { media, progress } = await about();
      expect(media.length).toBeGreaterThan(0);
      expect(progress.percentage).toBeLessThan(100);
      await house.house.rooms.change(id, 'transcript', { userId: ann.id, origin: 'test' }, (doc) => {
        const [segment] = readSegments(doc);
        replaceRanges(doc, [{ at: segment?.start ?? 0, remove: 7, insert: ['Something else'] }], 'test');
        replaceRanges(doc, [{ at: 1 + 'Something else was said.'.length, remove: 0, insert: [' And more.'] }], 'test');
      });
      release();
      expect(await processed(ann, id)).toMatchObject({ percentage: 100, failures_present: false });
      const texts = await textsOf(id);
      expect(texts).toEqual(['Something else was said. And more.', 'Piece 2 was said.']);
      expect(server.asked.map(secondsOf).reduce((sum, one) => sum + one, 0)).toBe(70);
      const [, later] = await read(id, (doc) => readWords(doc).segments);
      expect(later?.words[0]?.from).toBe(Math.round(secondsOf(server.asked[0] as Asked) * 1000) + 1000);
    },
  );

  test(
    'that fails half way says why, gives the minutes back, and continues from there when it is tried again',
    { timeout: 300_000 },
    async ({ skip }) => {
      const without = noFfmpeg();
      if (without) return skip(without);
      server.answers = (_asked, nth) =>
        nth === 2 ? { status: 401, body: { error: 'the quota is used up' } } : saying(` Piece ${nth}.`);
      const ann = await house.person();
      const { id, costs } = await createMeeting(ann, form(recorded(noise(70))));
      expect(costs).toMatchObject([{ freeMinutes: 70 / 60 }]);
      await beginProcessing(ann, id, { cost: costs[0]?.cost });
      expect(await processed(ann, id)).toMatchObject({
        failures_present: true,
        failure_messages: [intakeFailures.engine_refused],
      });
      expect(await left(ann)).toBe(trialMinutes);
      expect(await textsOf(id)).toEqual(['Piece 1.']);
      expect(house.log()).toContain('the quota is used up');
      expect((await house.mails(ann.email)).length).toBe(1);
      // A new try may skip a piece: the transcript so far is stored, and the recording can be played.
      server.answers = (_asked, nth) => saying(` Piece ${nth}.`);
      expect((await beginProcessing(ann, id, { cost: costs[0]?.cost })).status).toBe(200);
      expect(await processed(ann, id)).toMatchObject({ percentage: 100, failures_present: false });
      expect(await textsOf(id)).toEqual(['Piece 1.', 'Piece 3.']);
      const media = ((await ann.get(`/api/meetings/${id}/about`)).body as { media: { tag: string }[] }).media;
      expect(media.map(({ tag }) => tag).toSorted()).toEqual(['audio', 'histogram']);
      expect(await left(ann)).toBeCloseTo(trialMinutes - 70 / 60, 6);
    },
  );

  test('without speech fails with that reason', async ({ skip }) => {
    const without = noFfmpeg();
    if (without) return skip(without);
    const ann = await house.person();
    const { id } = await createMeeting(ann, form(recorded(silence(2))));
    await beginProcessing(ann, id);
    expect((await processed(ann, id)).failure_messages).toEqual([intakeFailures.no_speech]);
    expect(server.asked).toHaveLength(0);
    expect(await left(ann)).toBe(trialMinutes);
  });

  test('of a meeting that is deleted meanwhile is stopped', async ({ skip }) => {
    const without = noFfmpeg();
    if (without) return skip(without);
    let asked = () => {};
    const waiting = new Promise<void>((resolve) => (asked = resolve));
    server.answers = () => {
      asked();
      return 'hang';
    };
    const ann = await house.person();
    const { id } = await createMeeting(ann, form(recorded(noise(2))));
    await beginProcessing(ann, id);
    await waiting;
    expect((await ann.delete(`/api/meetings/${id}`)).status).toBe(204);
    const [job] = await house.database.sql`select state from jobs where meeting_id = ${id} and kind = 'transcription'`;
    expect(job).toEqual({ state: 'cancelled' });
    expect(await left(ann)).toBe(trialMinutes);
  });
});

test('the same piece is never written twice, even if an answer comes late', async ({ skip }) => {
  const without = noFfmpeg();
  if (without) return skip(without);
  const ann = await house.person();
  server.answers = async () => {
    // As if this process had slept while another one transcribed the piece.
    await house.database.sql`update intakes set heard_ms = 2000 where owner_id = ${ann.id}`;
    return saying(' Too late.');
  };
  const { id } = await createMeeting(ann, form(recorded(noise(2))));
  await beginProcessing(ann, id);
  expect(await processed(ann, id)).toMatchObject({ failures_present: true });
  expect(await textsOf(id)).toEqual([]);
});
