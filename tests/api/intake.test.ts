// A recording from the first byte to its page: uploaded files, processing, and mails.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { uploads } from '#db/schema/intake.ts';
import { uploadLimits, sweepUploads } from '#server/intake/uploads.ts';
import { sweepIntakes } from '#server/intake/drafts.ts';
import { sweepLeftovers } from '#server/meetings/leftovers.ts';
import { newId } from '#shared/ids.ts';
import { fileLimits, intakeFailures, type PartView } from '#shared/intake.ts';
import type { MediumView } from '#shared/meetings/media.ts';
import type { ReviewView } from '#shared/reviews.ts';
import { readSegments } from '#shared/meetings/transcript.ts';
import { roles } from '#shared/roles.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import {
  beginProcessing,
  createMeeting,
  external,
  multipart,
  processed,
  sendFile,
  tone,
  zoomTranscript,
} from '#tests/support/intake.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Person } from '#tests/support/people.ts';

let house: TestHouse;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const textOf = (id: string) => house.house.documents.read(id, (doc) => readSegments(doc).map(({ text }) => text));
const mediaOf = async (person: Person, id: string) =>
  ((await person.get(`/api/meetings/${id}/about`)).body as { media: MediumView[] }).media;
const titles = async (person: Person) =>
  ((await person.get('/api/meetings')).body as { hits: { title: string }[] }).hits.map(({ title }) => title);

describe('a recording and the transcript of it', () => {
  test('are sent, processed, and there; one mail says so', async () => {
    const ann = await house.person();
    const uploadId = await sendFile(ann, 'talk.wav', tone(2));
    const { id, costs } = await createMeeting(ann, external({ uploadId }));
    // Processing is not requested yet.
    expect(await titles(ann)).toEqual([]);
    const begun = await beginProcessing(ann, id, { cost: costs[0]?.cost, title: 'Monday morning' });
    expect(begun.status, begun.text).toBe(200);
    expect(await processed(ann, id)).toEqual({ percentage: 100, failures_present: false, failure_messages: [] });

    expect(await textOf(id)).toEqual(['Thanks for joining, shall we start?', 'Yes.', 'Then the goal first.']);
    expect(await titles(ann)).toEqual(['Monday morning']);
    const { body } = await ann.get(`/api/meetings/${id}`);
    expect(body.progress.percentage).toBe(100);
    expect(body.doc.title).toBe('Monday morning');
    const media = await mediaOf(ann, id);
    expect(media.map(({ tag, name, type, duration }) => [tag, name, type, duration])).toEqual([
      ['audio', 'talk.wav', 'audio/wav', 2],
    ]);
    const sound = await fetch(`${house.origin}${media[0]?.src}`, {
      headers: { Cookie: [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    expect(
      createHash('sha256')
        .update(Buffer.from(await sound.arrayBuffer()))
        .digest('hex'),
    ).toBe(createHash('sha256').update(tone(2)).digest('hex'));
    const mails = await house.mails(ann.email);
    expect(mails.map(({ subject }) => subject)).toEqual(['Your recording is ready']);
    expect(mails[0]?.text).toContain(`/meeting/${id}`);
    // Stays when all leftovers are deleted.
    await sweepLeftovers(house.house);
    expect((await ann.get(media[0]?.src ?? '')).status).toBe(200);
  });

  test('may come in one form, and a retry of the form makes no second meeting', async () => {
    const ann = await house.person();
    const form = external({ file: { fileName: 'C:\\talks\\Monday.WAV', content: tone() } });
    const again = { ...form, headers: { ...form.headers, 'X-Request-ID': 'the-same-order' } };
    const first = await createMeeting(ann, again);
    const second = await createMeeting(ann, again);
    expect(second.id).toBe(first.id);
    const rows = await house.database.sql`select name, meeting_id from uploads where owner_id = ${ann.id}`;
    expect(rows.map(({ name, meeting_id }) => [name, meeting_id])).toEqual([['Monday.WAV', first.id]]);
    const both = await Promise.all([beginProcessing(ann, first.id), beginProcessing(ann, first.id)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    await processed(ann, first.id);
    expect(await house.database.sql`select 1 from jobs where meeting_id = ${first.id}`).toHaveLength(1);
    expect(await house.mails(ann.email)).toHaveLength(1);
  });

  test('a file need not be sent again because something else of its form was wrong', async () => {
    const ann = await house.person();
    const wrong = external({ lang: 'xx', file: { fileName: 'talk.wav', content: tone() } });
    const refused = await ann.post('/api/meetings-fast', undefined, wrong);
    expect([refused.status, refused.problem.info.errors]).toEqual([422, [{ field: 'lang', code: 'lang' }]]);
    const uploadId = refused.problem.info['uploadId'] as string;
    const { id } = await createMeeting(ann, external({ uploadId }));
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ failures_present: false });
    expect(await mediaOf(ann, id)).toHaveLength(1);
  });

  test('the same file again is reported as a duplicate, for both ways of sending, and only to people who may read the other', async () => {
    const [ann, ben] = await Promise.all([house.person(), house.person('Ben')]);
    const sound = tone(1.5);
    const first = await createMeeting(ann, external({ uploadId: await sendFile(ann, 'a.wav', sound) }));
    expect(first.duplicateUrl).toBeNull();
    await beginProcessing(ann, first.id);
    await processed(ann, first.id);
    const inParts = await createMeeting(ann, external({ uploadId: await sendFile(ann, 'b.wav', sound) }));
    const along = await createMeeting(ann, external({ file: { fileName: 'c.wav', content: sound } }));
    expect([inParts.duplicateUrl, along.duplicateUrl]).toEqual([`/meeting/${first.id}`, `/meeting/${first.id}`]);
    const other = await createMeeting(ann, external({ file: { fileName: 'a.wav', content: tone(1.6) } }));
    const bens = await createMeeting(ben, external({ file: { fileName: 'a.wav', content: sound } }));
    expect([other.duplicateUrl, bens.duplicateUrl, bens.duplicate]).toEqual([null, null, null]);
    expect(inParts.duplicate).toEqual({ title: 'Monday', addedAt: expect.stringMatching(/^\d{4}-/), by: null });
    // Ben may read it from now on, under the name that it has now, and not that of another which he may not read.
    await share(house, first.id, ben, [...roles.canRead]);
    expect((await ann.post(`/api/meetings/${first.id}/rename`, { title: 'Walk' })).status).toBe(200);
    const read = await createMeeting(ben, external({ file: { fileName: 'x.wav', content: sound } }));
    expect(read).toMatchObject({ duplicateUrl: `/meeting/${first.id}`, duplicate: { title: 'Walk', by: 'Ann Test' } });
    await share(house, first.id, ben, []);
    const ended = await createMeeting(ben, external({ file: { fileName: 'y.wav', content: sound } }));
    expect([ended.duplicateUrl, ended.duplicate]).toEqual([null, null]);
    // Reading by the link alone tells nothing of it, unlike being found by all.
    await share(house, first.id, 'anonymous', ['read']);
    const linked = await createMeeting(ben, external({ file: { fileName: 'z.wav', content: sound } }));
    expect([linked.duplicateUrl, linked.duplicate]).toEqual([null, null]);
    await share(house, first.id, 'anonymous', ['read', 'discover']);
    const open = await createMeeting(ben, external({ file: { fileName: 'z.wav', content: sound } }));
    expect(open.duplicateUrl).toBe(`/meeting/${first.id}`);
  });
});

describe('a mentor named with a recording', () => {
  const reviewsOf = async (person: Person, id: string): Promise<ReviewView[]> =>
    (await person.get(`/api/meetings/${id}/reviews`)).body.reviews;

  test('is asked once processing begins, and assesses after the student', async () => {
    const [ann, ben] = await Promise.all([house.person('Ann'), house.person('Ben')]);
    const { id } = await createMeeting(ann, external({ mentor: ben.email }));
    expect(await reviewsOf(ann, id)).toEqual([]);
    expect(await house.mails(ben.email)).toEqual([]);
    expect((await beginProcessing(ann, id)).status).toBe(200);
    await processed(ann, id);
    const [review, ...more] = await reviewsOf(ann, id);
    expect(more).toEqual([]);
    expect(review).toMatchObject({ policy: 'student', phase: 'self', student: { isMe: true, status: 'new' } });
    expect((await house.mails(ben.email)).map(({ subject }) => subject)).toEqual([
      'Ann Test asks you to assess a recording',
    ]);
    const [waiting] = await reviewsOf(ben, id);
    expect(waiting).toMatchObject({ cloneId: null, mine: { role: 'required' } });

    const notesId = review?.student?.cloneId;
    const completed = await ann.post(`/api/meetings/${id}/invite/complete`, { notesId });
    expect(completed.status, completed.text).toBe(200);
    expect(completed.body.review).toMatchObject({ phase: 'closed', student: { status: 'complete' } });
    const [mine] = await reviewsOf(ben, id);
    const done = await ben.post(`/api/meetings/${id}/invite/complete`, { notesId: mine?.cloneId });
    expect(done.body.review.phase).toBe('published');
    // A recording that its people assessed is completed for both.
    expect((await ann.get(`/api/meetings/${id}`)).body.doc.isCompleted).toBe(true);
    expect((await ben.get(`/api/meetings/${mine?.cloneId}`)).status).toBe(200);
  });

  test('is who asked for the recording, and leads the review; the invitation is fulfilled', async () => {
    const [ann, ben] = await Promise.all([house.person('Ann'), house.person('Ben')]);
    expect((await ben.post('/api/invitations', { email: ann.email })).status).toBe(204);
    const invited = async () => (await ann.whoami()).body.invitations as { id: string }[];
    const [invitation] = await invited();
    const form = external({ invite: invitation?.id ?? '' });
    const { id } = await createMeeting(ann, form);
    expect(await invited()).toHaveLength(1);
    await beginProcessing(ann, id);
    await processed(ann, id);
    expect(await invited()).toEqual([]);
    const [review] = await reviewsOf(ben, id);
    expect(review).toMatchObject({ leader: { id: ben.id }, phase: 'self', mine: { role: 'required' } });
    expect(review?.student?.status).toBe('new');
    expect((await reviewsOf(ann, id))[0]).toMatchObject({ leader: { id: ben.id }, student: { isMe: true } });
    // The recording itself is not shared.
    expect((await ben.get(`/api/meetings/${id}`)).status).toBe(403);
    expect((await ann.post('/api/meetings-fast', undefined, form)).status).toBe(403);
  });

  test('may be another person than who asked for the recording', async () => {
    const [ann, ben, cara] = await Promise.all(['Ann', 'Ben', 'Cara'].map((name) => house.person(name)));
    if (!ann || !ben || !cara) throw new Error('no people');
    await ben.post('/api/invitations', { email: ann.email });
    const [{ id: invite }] = (await ann.whoami()).body.invitations;
    const { id } = await createMeeting(ann, external({ invite, mentor: cara.email }));
    await beginProcessing(ann, id);
    await processed(ann, id);
    expect((await reviewsOf(cara, id))[0]).toMatchObject({ leader: { id: ben.id }, mine: { role: 'required' } });
    expect((await reviewsOf(ben, id))[0]).toMatchObject({ mine: null });
  });

  test('may be exchanged or left out until then', async () => {
    const [ann, ben, cara] = await Promise.all(['Ann', 'Ben', 'Cara'].map((name) => house.person(name)));
    if (!ann || !ben || !cara) throw new Error('no people');
    const [one, other] = [
      await createMeeting(ann, external({ mentor: ben.email })),
      await createMeeting(ann, external({ mentor: ben.email })),
    ];
    await beginProcessing(ann, one.id, { mentor: cara.email });
    await beginProcessing(ann, other.id, { mentor: '' });
    await processed(ann, one.id);
    // Repeated, it asks nobody else.
    expect((await beginProcessing(ann, one.id, { mentor: ben.email })).status).toBe(200);
    expect(await reviewsOf(ann, one.id)).toHaveLength(1);
    expect(await reviewsOf(ann, other.id)).toEqual([]);
    expect([await house.mails(ben.email), await house.mails(cara.email)].map(({ length }) => length)).toEqual([0, 1]);
  });
});

describe('an upload', () => {
  test('by a form: as a whole, to the given address, and never again', async () => {
    const ann = await house.person();
    const sound = tone();
    const { url, uploadId, fields } = (
      await ann.post('/api/uploads', { fileName: 'talk.wav', contentLength: sound.length })
    ).body as { url: string; uploadId: string; fields: { name: string; value: string }[] };
    const send = () => {
      const { raw, headers } = multipart({
        ...Object.fromEntries(fields.map(({ name, value }) => [name, value])),
        file: { fileName: 'talk.wav', content: sound },
      });
      return fetch(url, { method: 'POST', body: raw as BodyInit, headers: headers ?? {} });
    };
    expect((await send()).status).toBe(204);
    expect((await send()).status).toBe(409);
    const { id } = await createMeeting(ann, external({ uploadId }));
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ percentage: 100 });
  });

  test('continues with the missing parts, in any order, and says how much has arrived', async () => {
    const ann = await house.person();
    const size = 20 * 1024 * 1024;
    const content = Buffer.alloc(size, 7);
    const first = (await ann.post('/api/multipart-uploads', { fileName: 'a.mp3', contentLength: size }))
      .body as PartView;
    const put = (part: PartView) =>
      fetch(part.url, {
        method: 'PUT',
        body: new Uint8Array(content.subarray(part.offset, part.offset + part.length)),
        headers: part.headers,
      });
    const next = async () =>
      (await ann.post(`/api/multipart-uploads/${first.uploadId}/next`, { multipartUploadId: first.uploadId }))
        .body as PartView;
    expect(await next()).toMatchObject({ offset: 0, received: 0 });
    await put(first);
    // Its answer was lost: it is sent once more.
    await put(first);
    const second = await next();
    expect(second).toMatchObject({ offset: first.length, received: first.length });
    await put(second);
    await put(await next());
    const last = await next();
    expect(last).toMatchObject({ offset: size, length: 0, received: size });
    expect(await next()).toEqual(last);
    const [row] = await house.database.sql<
      { store_key: string }[]
    >`select store_key from uploads where id = ${first.uploadId}`;
    expect(await house.house.store.size(row?.store_key ?? '')).toBe(size);
  });

  test('that is cancelled makes room, and leaves nothing', async () => {
    const ann = await house.person();
    const begin = () => ann.post('/api/multipart-uploads', { fileName: 'a.mp3', contentLength: 10 });
    const open = [];
    for (let i = 0; i < uploadLimits.open; i += 1) open.push((await begin()).body as PartView);
    expect((await begin()).status).toBe(429);
    const [one] = open;
    await fetch(one?.url ?? '', { method: 'PUT', body: new Uint8Array(10) });
    expect((await ann.delete(`/api/multipart-uploads/${one?.uploadId}`)).status).toBe(204);
    expect((await begin()).status).toBe(200);
    expect((await fetch(one?.url ?? '', { method: 'PUT', body: new Uint8Array(10) })).status).toBe(410);
  });

  test('whose sender is silent for an hour makes room for a new one; after a day it is deleted (J06)', async () => {
    const ann = await house.person();
    const begin = () => ann.post('/api/multipart-uploads', { fileName: 'a.mp3', contentLength: 10 });
    for (let i = 0; i < uploadLimits.open; i += 1) await begin();
    const keys = async () =>
      (await house.database.sql<{ store_key: string }[]>`select store_key from uploads where owner_id = ${ann.id}`).map(
        ({ store_key }) => store_key,
      );
    const before = await keys();
    house.clock.forward(uploadLimits.quiet + 1);
    expect((await begin()).status).toBe(200);
    expect(await keys()).toHaveLength(uploadLimits.open);
    house.clock.forward(uploadLimits.lifetime + 1);
    await sweepUploads(house.house);
    expect(await keys()).toEqual([]);
    await sweepLeftovers(house.house);
    const left = await house.database.sql`select 1 from store_leftovers where key = any(${before})`;
    expect(left).toHaveLength(0);
    house.clock.forward(-uploadLimits.lifetime - uploadLimits.quiet - 2);
  });

  test('recordings that were sent and processed use up no limit; what is left unused does, and says until when', async () => {
    const ann = await house.person();
    const { orm, sql } = house.database;
    const begin = (contentLength: number) =>
      ann.post('/api/multipart-uploads', { fileName: 'talk.mp3', contentLength });
    const now = house.clock.now().getTime();
    /** Files that arrived some minutes ago. */
    const earlier = async (count: number, minutes: number) => {
      const createdAt = new Date(now - minutes * 60_000);
      const rows = Array.from({ length: count }, () => ({
        id: newId(),
        ownerId: ann.id,
        name: 'talk.mp3',
        bytes: fileLimits.mostBytes,
        storeKey: newId(),
        createdAt,
        touchedAt: createdAt,
        completedAt: createdAt,
      }));
      await orm.insert(uploads).values(rows);
      return rows.map(({ id }) => id);
    };
    for (const id of await earlier(12, 30)) {
      const meeting = await makeMeeting(house, ann);
      await sql`update uploads set meeting_id = ${meeting} where id = ${id}`;
      await sql`
        insert into intakes (meeting_id, owner_id, request_id, request_digest, state, title, model, lang, speakers, vocabulary, created_at)
        values (${meeting}, ${ann.id}, ${newId()}, '', 'ready', '', 'external', 'en-US', 2, '', now())`;
    }
    expect((await begin(fileLimits.mostBytes)).status).toBe(200);
    await earlier(1, 20);
    const refused = await begin(fileLimits.mostBytes);
    expect([refused.status, refused.problem.info]).toMatchObject([429, { reason: 'UPLOAD_LIMIT' }]);
    // The next one is accepted once the oldest unused file is an hour old.
    expect(Number(refused.headers.get('retry-after'))).toBeCloseTo(40 * 60, -2);
  });

  test('two that are announced at once are both counted', async () => {
    const ann = await house.person();
    const half = { fileName: 'a.mp4', contentLength: 2 * 1024 ** 3 };
    const answers = await Promise.all([1, 2, 3, 4].map(() => ann.post('/api/multipart-uploads', half)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429]);
  });
});

describe('files that come along with a form', () => {
  test('X36: are two at once, and of a third nothing is read', async () => {
    const ann = await house.person();
    /** A form that stops in the middle of its file, until `goOn` is called. */
    const begin = () => {
      const { raw, headers } = external({ file: { fileName: 'talk.wav', content: tone() } });
      const bytes = Buffer.from(raw as Uint8Array);
      let goOn = () => {};
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      const half = async function* () {
        yield bytes.subarray(0, bytes.length - 2000);
        await gate;
        yield bytes.subarray(bytes.length - 2000);
      };
      const body = Readable.toWeb(Readable.from(half(), { objectMode: false }));
      const answer = fetch(`${house.origin}/api/meetings-fast`, {
        method: 'POST',
        body,
        duplex: 'half',
        headers: {
          ...headers,
          Origin: house.origin,
          'X-Request-ID': newId(),
          Cookie: [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        },
      } as unknown as RequestInit);
      return { answer, goOn };
    };
    const uploads = async () => (await house.database.sql`select 1 from uploads where owner_id = ${ann.id}`).length;
    const [first, second] = [begin(), begin()];
    await expect.poll(uploads).toBe(2);
    const third = await ann.post(
      '/api/meetings-fast',
      undefined,
      external({ file: { fileName: 'c.wav', content: tone() } }),
    );
    expect([third.status, third.problem.code]).toEqual([503, 'UNAVAILABLE']);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await uploads()).toBe(2);
    // A meeting without a file need not wait.
    await createMeeting(ann);
    for (const { goOn } of [first, second]) goOn();
    for (const { answer } of [first, second]) expect((await answer).status).toBe(200);
    await createMeeting(ann, external({ file: { fileName: 'c.wav', content: tone() } }));
  });
});

describe('a meeting that was made and not processed', () => {
  test('goes at once, with its file, when its maker gives it up', async () => {
    const ann = await house.person();
    const { id } = await createMeeting(ann, external({ file: { fileName: 'a.wav', content: tone() } }));
    const [row] = await house.database.sql<
      { store_key: string }[]
    >`select store_key from uploads where meeting_id = ${id}`;
    expect((await ann.delete(`/api/meetings/${id}?force=1`)).status).toBe(204);
    expect((await ann.post(`/api/meetings/${id}/restore`)).status).toBe(403);
    await sweepLeftovers(house.house);
    expect(await house.house.store.size(row?.store_key ?? '')).toBeNull();
  });

  test('goes after a day where it is only left', async () => {
    const ann = await house.person();
    const { id } = await createMeeting(ann);
    house.clock.forward(86_400 + 1);
    await sweepIntakes(house.house);
    house.clock.forward(-86_400 - 1);
    expect(await house.database.sql`select 1 from meetings where id = ${id}`).toHaveLength(0);
  });
});

describe('failures are reported', () => {
  test('J03: a file that is something else fails, with a mail and a reason, and may be tried again', async () => {
    const ann = await house.person();
    const file = { fileName: 'talk.mp3', content: '<!doctype html><script>alert(1)</script>'.repeat(100) };
    const { id } = await createMeeting(ann, external({ file }));
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({
      failures_present: true,
      failure_messages: [intakeFailures.unsupported],
    });
    expect((await house.mails(ann.email)).map(({ subject }) => subject)).toEqual([
      'Your recording could not be processed',
    ]);
    // The list tells it, too, under the name it was given.
    expect((await ann.get('/api/meetings')).body.hits).toMatchObject([
      { title: 'Monday', progress: { failures_present: true, failure: 'unsupported' } },
    ]);
    expect((await beginProcessing(ann, id)).body.progress).toMatchObject({ failures_present: false });
    expect(await processed(ann, id)).toMatchObject({ failures_present: true });
  });

  test('a recording of Webex that only its own player reads fails with the way out', async () => {
    const ann = await house.person();
    const { id } = await createMeeting(
      ann,
      external({ file: { fileName: 'talk.arf', content: 'no sound'.repeat(100) } }),
    );
    await beginProcessing(ann, id);
    expect(await processed(ann, id)).toMatchObject({ failure: 'arf', failure_messages: [intakeFailures.arf] });
  });

  test('a file that no browser plays is refused if there is no converter', async () => {
    const ann = await house.person();
    const file = { fileName: 'talk.avi', content: Buffer.concat([Buffer.from('RIFF    AVI LIST'), Buffer.alloc(500)]) };
    const { id } = await createMeeting(ann, external({ file }));
    await beginProcessing(ann, id);
    expect((await processed(ann, id)).failure_messages).toEqual([intakeFailures.no_converter]);
  });

  test('bytes that changed since they arrived are no recording', async () => {
    const ann = await house.person();
    const { id } = await createMeeting(ann, external({ uploadId: await sendFile(ann, 'talk.wav', tone()) }));
    await house.database.sql`update uploads set digest = ${Buffer.alloc(32)} where meeting_id = ${id}`;
    await beginProcessing(ann, id);
    expect((await processed(ann, id)).failure_messages).toEqual([intakeFailures.damaged]);
  });
});

test('J11: another transcript takes the place of the old one, which stays in the log', async () => {
  const ann = await house.person();
  const { id } = await createMeeting(ann);
  await beginProcessing(ann, id);
  await processed(ann, id);
  const before = (await ann.get(`/api/meetings/${id}`)).body.version as number;
  const other = zoomTranscript.replace('Then the goal first.', 'Then the goal last.');
  const answer = await ann.post(
    `/api/meetings/${id}/replace`,
    undefined,
    multipart({ transcript: { fileName: 'b.vtt', content: other }, transcriptType: 'ZOOM' }),
  );
  expect(answer.body.version).toBeGreaterThan(before);
  expect((await textOf(id)).at(-1)).toBe('Then the goal last.');
  expect((await ann.get(`/api/meetings/${id}`)).body.doc.title).toBe('Monday');
  const generations = await house.database
    .sql`select distinct generation from room_updates where room = ${`${id}/transcript`}`;
  expect(generations).toHaveLength(2);
});
