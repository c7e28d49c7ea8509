// Changes of people while a recording is prepared stay, and so does their imported transcript.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updateProjection } from '#server/rooms/projection.ts';
import { addTag, readAbout } from '#shared/meetings/about.ts';
import { readSegments, textOf } from '#shared/meetings/transcript.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import {
  beginProcessing,
  createMeeting,
  external,
  multipart,
  processed,
  tone,
  zoomTranscript,
} from '#tests/support/intake.ts';
import type { Person } from '#tests/support/people.ts';
import { makeRecording } from '#tests/support/recording.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const said = ['Thanks for joining, shall we start?', 'Yes.', 'Then the goal first.'];
const withSound = () => external({ file: { fileName: 'talk.wav', content: tone() } });
const linesOf = (id: string) => house.house.documents.read(id, (doc) => readSegments(doc).map(({ text }) => text));
const type = (id: string, text: string) =>
  house.house.rooms.change(id, 'transcript', { userId: null, origin: 'test' }, (doc) => textOf(doc).insert(0, text));

describe('an imported transcript', () => {
  test('enters behind text that was typed meanwhile', async () => {
    const ann = await house.person();
    const { id } = await createMeeting(ann, withSound());
    await type(id, 'x');
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ percentage: 100, failures_present: false });
    expect(await linesOf(id)).toEqual(['x', ...said]);
  });

  test.for([
    ['an empty document', ''],
    ['a document with words', 'x'],
  ] as const)('enters %s once, however often its job is tried', async ([, typed]) => {
    const ann = await house.person();
    const { id } = await createMeeting(ann, withSound());
    if (typed) await type(id, typed);
    const { sql } = house.database;
    await sql.unsafe(`
        create or replace function test_refuse() returns trigger language plpgsql as $$
          begin raise exception 'not now'; end $$;
        create trigger test_refuse before update of state on intakes for each row
          when (new.state = 'ready') execute function test_refuse();`);
    await beginProcessing(ann, id);
    const stumbled = () => sql`select 1 from jobs where meeting_id = ${id} and state = 'waiting' and attempts = 1`;
    while ((await stumbled()).length === 0) await sleep(20);
    await sql.unsafe('drop trigger test_refuse on intakes');
    house.clock.forward(60);
    expect(await processed(ann, id)).toMatchObject({ percentage: 100, failures_present: false });
    expect(await linesOf(id)).toEqual(typed ? [typed, ...said] : said);
  });

  test('does not enter behind another one that was put in its place after it had failed', async () => {
    const ann = await house.person();
    const { id } = await createMeeting(ann, external({ file: { fileName: 'talk.mp3', content: 'nothing to hear' } }));
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ failures_present: true });
    const other = zoomTranscript.replace('Then the goal first.', 'Then the goal last.');
    const file = { fileName: 'b.vtt', content: other };
    const form = multipart({ transcript: file, transcriptType: 'ZOOM' });
    expect((await ann.post(`/api/meetings/${id}/replace`, undefined, form)).status).toBe(200);
    // Detaches the broken file, so that only the transcript is processed.
    await house.database.sql`update uploads set meeting_id = null where meeting_id = ${id}`;
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ percentage: 100, failures_present: false });
    expect(await linesOf(id)).toEqual([...said.slice(0, 2), 'Then the goal last.']);
  });
});

describe('its title', () => {
  const broken = (title: string) => external({ title, file: { fileName: 'talk.mp3', content: 'nothing to hear' } });
  const listed = async (person: Person, query = '') =>
    ((await person.get(`/api/meetings?query=${query}`)).body as { hits: { title: string }[] }).hits.map(
      ({ title }) => title,
    );

  test('is the one that people have given it meanwhile, also in the mail', async () => {
    const ann = await house.person();
    // Without an order between two titles, chance decides which wins, so this is tried often.
    for (let i = 0; i < 20; i += 1) {
      const { id } = await createMeeting(ann, external({ title: 'Before' }));
      expect((await ann.post(`/api/meetings/${id}/rename`, { title: `After ${i}` })).status).toBe(200);
      await beginProcessing(ann, id);
      await processed(ann, id);
    }
    expect((await listed(ann)).toSorted()).toEqual(Array.from({ length: 20 }, (_, i) => `After ${i}`).toSorted());
    const mails = await house.mails(ann.email);
    expect(mails.filter(({ text }) => text.includes('After'))).toHaveLength(20);
    expect(mails.filter(({ text }) => text.includes('Before'))).toHaveLength(0);
  });

  test('is set as soon as it is processed, and can be found', async () => {
    const ann = await house.person();
    const { id } = await createMeeting(ann, broken('Quarterly  review'));
    await beginProcessing(ann, id, { language: 'de-DE' });
    expect(await house.house.documents.read(id, readAbout)).toEqual({ title: 'Quarterly review', lang: 'de-DE' });
    expect(await processed(ann, id)).toMatchObject({ failures_present: true });
    expect((await ann.get(`/api/meetings/${id}`)).body.doc.title).toBe('Quarterly review');
    expect(await listed(ann, 'quarter')).toEqual(['Quarterly review']);
    await ann.delete(`/api/meetings/${id}`);
    expect((await ann.get('/api/deleted')).body.items).toMatchObject([{ title: 'Quarterly review' }]);
  });

  test('is the newest one given when processing again', async () => {
    const ann = await house.person();
    const { id } = await createMeeting(ann, broken('Quarterly'));
    await beginProcessing(ann, id);
    await processed(ann, id);
    await beginProcessing(ann, id, { title: 'Yearly' });
    await processed(ann, id);
    expect(await listed(ann)).toEqual(['Yearly']);
  });

  test('is what it was added under where its document says none', async () => {
    const ann = await house.person();
    const { id } = await createMeeting(ann, broken('Élan Quarterly'));
    const { sql } = house.database;
    await sql`update intakes set state = 'failed', failure = 'unsupported' where meeting_id = ${id}`;
    for (const tag of ['', 'red']) {
      await house.house.rooms.change(
        id,
        'transcript',
        { userId: null, origin: 'test' },
        (doc) => void addTag(doc, tag, 'test'),
      );
      await updateProjection(house.house, id);
      expect(await listed(ann)).toEqual(['Élan Quarterly']);
      expect(await listed(ann, 'quarter%20elan')).toEqual(['Élan Quarterly']);
    }
    await ann.delete(`/api/meetings/${id}`);
    expect((await ann.get('/api/deleted')).body.items).toMatchObject([{ title: 'Élan Quarterly' }]);
  });
});

describe('an answer', () => {
  test.for(['', '/about'])(
    'that calls the recording ready holds its media, also where both changed meanwhile (GET /api/meetings/{id}%s)',
    async (path) => {
      const ann = await house.person();
      const id = await makeRecording(house, ann);
      const { sql } = house.database;
      await sql`
        insert into intakes (meeting_id, owner_id, request_id, request_digest, state, percentage, title, model, lang,
          speakers, vocabulary, created_at)
        values (${id}, ${ann.id}, ${id}, '', 'processing', 90, 'Monday', 'external', 'en-US', 2, '', now())`;
      const media = await sql`delete from media where meeting_id = ${id} returning *`;
      const { asked } = await sql.begin(async (tx) => {
        await tx`lock table intakes in access exclusive mode`;
        const get = ann.get(`/api/meetings/${id}${path}`);
        const heldUp = () => sql`select 1 from pg_locks where relation = 'intakes'::regclass and not granted`;
        while ((await heldUp()).length === 0) await sleep(5);
        await tx`insert into media ${tx(media)}`;
        await tx`update intakes set state = 'ready', percentage = 100 where meeting_id = ${id}`;
        return { asked: get };
      });
      const { body } = await asked;
      expect(body).toMatchObject({ progress: { percentage: 100 }, media: media.map((one) => ({ id: one['id'] })) });
    },
  );
});
