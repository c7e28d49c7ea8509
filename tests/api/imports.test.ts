// Recordings that Zoom and Webex have, on servers of their shape: letting us in, tokens, and what becomes of a file.
import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { and, eq } from 'drizzle-orm';
import { serviceAccounts, uploads } from '#db/schema/intake.ts';
import { jobs } from '#db/schema/jobs.ts';
import { storeLeftovers } from '#db/schema/media.ts';
import { sweepLeftovers } from '#server/meetings/leftovers.ts';
import { webexService } from '#server/outside/webex.ts';
import { zoomService } from '#server/outside/zoom.ts';
import type { ServiceId } from '#shared/meeting-services.ts';
import { openBeside, openHouse, type TestHouse } from '#tests/support/house.ts';
import { beginProcessing, createMeeting, external, multipart, processed, tone } from '#tests/support/intake.ts';
import { openWebex, openZoom, sendBytes, type Kept, type TestService } from '#tests/support/meeting-services.ts';
import type { Answer, CallOptions, Person } from '#tests/support/people.ts';

/** Largest recording that this server imports. */
const mostBytes = 4 * 1024 * 1024;

let house: TestHouse;
let services: Record<ServiceId, TestService>;
beforeAll(async () => {
  const [zoom, webex] = await Promise.all([openZoom(), openWebex()]);
  services = { zoom, webex };
  house = await openHouse({
    env: { ...zoom.env, ...webex.env },
    importPace: { pause: 10, mostBytes },
    jobPace: { poll: 50, beat: 500, lease: 30, pause: 0.05 },
  });
});
afterEach(() => {
  for (const { mood } of Object.values(services))
    Object.assign(mood, { answers: 'well', expiresIn: 3600, beforeTokens: null, send: null, ranges: true });
});
afterAll(async () => {
  await house?.close();
  await Promise.all(Object.values(services ?? {}).map((one) => one.close()));
});

const account = async (person: Person, service: ServiceId) =>
  (
    await house.database.orm
      .select()
      .from(serviceAccounts)
      .where(and(eq(serviceAccounts.userId, person.id), eq(serviceAccounts.service, service)))
  )[0];
const wireNames = (service: ServiceId, one: Pick<Kept, 'id' | 'fileId'>): Record<string, string> =>
  service === 'zoom'
    ? { zoomMeetingId: one.id, zoomRecordingFileId: one.fileId }
    : { webexMeetingId: one.id, webexFileType: one.fileId };
const form = (service: ServiceId, one: Pick<Kept, 'id' | 'fileId'>): CallOptions => external(wireNames(service, one));
const list = (person: Person, service: ServiceId): Promise<Answer> => person.get(`/api/${service}/recordings`);
const idsOf = (service: ServiceId, { body }: Answer): string[] =>
  service === 'zoom'
    ? (body as { meetings: { uuid: string }[] }).meetings.map(({ uuid }) => uuid)
    : (body as { items: { id: string }[] }).items.map(({ id }) => id);
const authCode = { zoom: 'ZOOM_AUTH', webex: 'WEBEX_AUTH' };

async function imported(person: Person, service: ServiceId, one: Kept) {
  const { id } = await createMeeting(person, form(service, one));
  expect((await beginProcessing(person, id)).status).toBe(200);
  return { id, progress: await processed(person, id) };
}
const upload = async (id: string) =>
  (await house.database.orm.select().from(uploads).where(eq(uploads.meetingId, id)))[0];
/** Number of the visitor; each is new at the services. */
let visitors = 0;
async function visitor(service: ServiceId, fields: Partial<Kept> = {}) {
  visitors += 1;
  const as = `visitor-${visitors}`;
  const person = await house.person('Ann');
  const one = services[service].keep(as, { content: tone(), ...fields });
  await services[service].letIn(person, as);
  return { person, as, one, there: services[service] };
}

describe.each(['zoom', 'webex'] as const)('%s', (service) => {
  it('lists what is one’s own once we were let in, and comes back to where one was', async () => {
    const person = await house.person('Ann');
    const as = `lister-${service}`;
    const mine = services[service].keep(as);
    services[service].keep(`other-${service}`);
    const before = await list(person, service);
    expect([before.status, before.problem.info.code]).toEqual([403, authCode[service]]);
    expect((await person.whoami()).body.principal.id).toBe(person.id);
    const back = await services[service].letIn(person, as, '/folder/A?page=2');
    expect([back.status, back.headers.get('location')]).toEqual([302, '/folder/A?page=2']);
    expect(idsOf(service, await list(person, service))).toEqual([mine.id]);
    // Another person of the same server has no access to it.
    expect((await list(await house.person('Ben'), service)).status).toBe(403);
  });

  it('a recording becomes a meeting with its sound and its text, and is known when it is imported again', async () => {
    const { person, one } = await visitor(service, { topic: 'Weekly / of "teams"' });
    const created = await createMeeting(person, multipart({ ...wireNames(service, one), ...ownTranscript }));
    expect(created.duplicateUrl).toBeNull();
    await beginProcessing(person, created.id);
    expect(await processed(person, created.id)).toMatchObject({ percentage: 100, failures_present: false });
    const about = (await person.get(`/api/meetings/${created.id}/about`)).body as { media: { tag: string }[] };
    expect((await person.get('/api/meetings')).body).toMatchObject({ hits: [{ title: 'Weekly / of "teams"' }] });
    expect(about.media.map(({ tag }) => tag)).toContain('audio');
    expect(await upload(created.id)).toMatchObject({ name: `Weekly - of "teams".mp4`, bytes: tone().length });
    expect((await createMeeting(person, form(service, one))).duplicateUrl).toBe(`/meeting/${created.id}`);
    // The fetched file is no leftover, even if the job has recorded it as one.
    await sweepLeftovers(house.house);
    const row = await upload(created.id);
    expect(await house.house.store.size(row?.storeKey ?? '')).toBe(tone().length);
    expect(await house.database.orm.select().from(storeLeftovers)).toEqual([]);
  });

  it('renews tokens before they run out, when they were refused, and once for all who ask at once', async () => {
    const { person, there } = await visitor(service);
    const first = await account(person, service);
    there.expire();
    expect((await list(person, service)).status).toBe(200);
    const second = await account(person, service);
    expect(second?.generation).not.toBe(first?.generation);

    house.clock.forward(3600);
    let asked = 0;
    there.mood.beforeTokens = () => {
      asked += 1;
      return new Promise((resolve) => setTimeout(resolve, 200));
    };
    const beside = await openBeside(house);
    try {
      Object.assign(beside.house.services, house.house.services);
      const twin = person.by(beside.port);
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) => list(i % 2 === 0 ? person : twin, service)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
    } finally {
      await beside.stop();
    }
    expect(asked).toBe(1);
  });

  it('F32: rights that were taken away there are asked for again, without a meeting and without a logout here', async () => {
    const { person, as, one, there } = await visitor(service);
    there.revoke(as);
    const created = await person.post('/api/meetings-fast', undefined, form(service, one));
    expect([created.status, created.problem.code]).toEqual([403, authCode[service]]);
    expect((await person.get('/api/meetings')).body).toMatchObject({ hits: [] });
    expect(await account(person, service)).toBeUndefined();
    expect((await person.whoami()).body.principal.id).toBe(person.id);
    await there.letIn(person, as);
    expect((await list(person, service)).status).toBe(200);
  });

  it('F32: where they are taken away later, it fails with that reason and can be processed once we are let in', async () => {
    const { person, as, one, there } = await visitor(service);
    const { id } = await createMeeting(person, form(service, one));
    there.revoke(as);
    await beginProcessing(person, id);
    expect(await processed(person, id)).toMatchObject({ failures_present: true, failure: 'import_login' });
    await there.letIn(person, as);
    await beginProcessing(person, id);
    expect(await processed(person, id)).toMatchObject({ percentage: 100, failures_present: false });
  });

  it('a service that is away keeps what it has let us do', async () => {
    const { person, there } = await visitor(service);
    there.expire();
    there.mood.answers = 'busy';
    const failed = await list(person, service);
    expect([failed.status, failed.problem.code]).toEqual([502, 'UPSTREAM']);
    expect(failed.text).not.toContain('secret words');
    there.mood.answers = 'well';
    expect((await list(person, service)).status).toBe(200);
  });

  it('logs out there: nothing stays stored, and later requests in the person’s name fail', async () => {
    const { person, as, there } = await visitor(service);
    expect((await person.get(`/api/${service}/logout`)).status).toBe(204);
    expect(await account(person, service)).toBeUndefined();
    expect(there.held(as)).toBe(service === 'zoom' ? 0 : 1);
    expect((await list(person, service)).status).toBe(403);
  });

  it('logs out there while it does not answer', async () => {
    const { person, there } = await visitor(service);
    there.mood.answers = 'busy';
    expect((await person.get(`/api/${service}/logout`)).status).toBe(204);
    expect(await account(person, service)).toBeUndefined();
  });

  it('B04: a link of another page asks first', async () => {
    const { person } = await visitor(service);
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    const status = await new Promise((resolve, reject) => {
      request(`${house.origin}/api/${service}/logout`, { headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(200);
    expect(await account(person, service)).toBeDefined();
  });

  it('goes with the account', async () => {
    const { person } = await visitor(service);
    const gone = await person.post('/api/principals/me/delete', { password: person.password, reason: 'taskCompleted' });
    expect(gone.status, gone.text).toBe(204);
    expect(await account(person, service)).toBeUndefined();
  });

  it('continues where the connection broke', async () => {
    const content = tone(120);
    const { person, one, there } = await visitor(service, { content });
    const ranges: (string | undefined)[] = [];
    there.mood.send = (asked, response, { content: bytes }) => {
      ranges.push(asked.headers.range);
      sendBytes(asked, response, bytes, true, ranges.length < 4 ? ranges.length * 400_000 : undefined);
    };
    const { id, progress } = await imported(person, service, one);
    expect(progress).toMatchObject({ percentage: 100, failures_present: false });
    expect(ranges).toHaveLength(4);
    expect(ranges[0]).toBeUndefined();
    for (const range of ranges.slice(1)) expect(range).toMatch(/^bytes=[1-9]\d*-$/);
    expect((await stored(id)).equals(content)).toBe(true);
  });

  it('begins at the beginning where the service knows no parts, and stores the same', async () => {
    const content = tone(120);
    const { person, one, there } = await visitor(service, { content });
    let nth = 0;
    there.mood.send = (asked, response, { content: bytes }) =>
      sendBytes(asked, response, bytes, false, ++nth < 3 ? 500_000 : undefined);
    const { id, progress } = await imported(person, service, one);
    expect(progress).toMatchObject({ percentage: 100, failures_present: false });
    expect((await stored(id)).equals(content)).toBe(true);
  });

  it('takes a token that runs out in the middle for what it is', async () => {
    const content = tone(120);
    const { person, one, there } = await visitor(service, { content });
    let nth = 0;
    there.mood.send = (asked, response, { content: bytes }) => {
      nth += 1;
      if (nth === 1) there.expire();
      sendBytes(asked, response, bytes, true, nth === 1 ? 600_000 : undefined);
    };
    const { id, progress } = await imported(person, service, one);
    expect(progress).toMatchObject({ percentage: 100, failures_present: false });
    expect((await stored(id)).equals(content)).toBe(true);
  });

  it.each<[string, string, (one: Kept, there: TestService) => void]>([
    ['is another one when the line comes back', 'import_changed', (_, there) => changing(there)],
    ['is away for good', 'import_unreachable', (_, there) => void (there.mood.send = (_asked, it) => it.destroy())],
    ['was deleted there', 'import_missing', (one, there) => void there.recordings.delete(ownerOf(there, one))],
    ['is announced as larger than may be', 'import_large', (_, there) => void (there.mood.send = announcing)],
    ['sends no end of bytes', 'import_large', (_, there) => void (there.mood.send = endless)],
    ['is empty', 'import_missing', (_, there) => void (there.mood.send = (_asked, it) => it.end())],
    [
      'leads to another host',
      'import_unreachable',
      (_, there) => void (there.mood.send = (_asked, it) => it.writeHead(302, { Location: house.origin }).end()),
    ],
  ])('a recording that %s fails as %s and leaves nothing', async (_when, failure, happen) => {
    const { person, one, there } = await visitor(service, { content: tone(60) });
    const { id } = await createMeeting(person, form(service, one));
    happen(one, there);
    await beginProcessing(person, id);
    expect(await processed(person, id)).toMatchObject({ failures_present: true, failure });
    expect(await upload(id)).toBeUndefined();
    const [job] = await house.database.orm.select().from(jobs).where(eq(jobs.meetingId, id));
    await sweepLeftovers(house.house);
    for (const key of job?.storeKeys ?? []) expect(await house.house.store.size(key)).toBeNull();
  });

  it('a meeting that is deleted while it is fetched is fetched no further', async () => {
    const { person, one, there } = await visitor(service, { content: tone(60) });
    const asked = new Promise<void>((resolve) => {
      there.mood.send = (_request, response) => {
        response.writeHead(200, { 'Content-Length': '1000000' });
        response.write('x');
        response.on('close', () => closed());
        resolve();
      };
    });
    let closed = () => {};
    const ended = new Promise<void>((resolve) => (closed = resolve));
    const { id } = await createMeeting(person, form(service, one));
    await beginProcessing(person, id);
    await asked;
    await person.delete(`/api/meetings/${id}`);
    await ended;
    expect(await upload(id)).toBeUndefined();
  });

  it('a server that is connected no more says so to what waits', async () => {
    const { person, one } = await visitor(service);
    const { id } = await createMeeting(person, form(service, one));
    const mine = house.house.services as Record<ServiceId, unknown>;
    const was = mine[service];
    mine[service] = null;
    try {
      await beginProcessing(person, id);
      expect(await processed(person, id)).toMatchObject({ failure: 'import_off' });
    } finally {
      mine[service] = was;
    }
  });

  it('an import without a payment to choose, requested twice under one id, is made once', async () => {
    const { person, one } = await visitor(service);
    const request = { ...form(service, one) };
    const headers = { ...request.headers, 'X-Request-ID': 'import-twice-12345' };
    const [first, second] = [
      await person.post('/api/meetings-fast', undefined, { ...request, headers }),
      await person.post('/api/meetings-fast', undefined, { ...request, headers }),
    ];
    expect(second.body).toEqual(first.body);
  });
});

it('the access a person gives us is sealed: for them, for the service, and by this server', async () => {
  const { person, there } = await visitor('zoom');
  const row = await account(person, 'zoom');
  for (const secret of there.secrets) expect(row?.sealed.includes(secret)).toBe(false);
  // Under another person's name it cannot be opened, and is deleted.
  const mallory = await house.person('Mallory');
  if (row) await house.database.orm.insert(serviceAccounts).values({ ...row, userId: mallory.id });
  expect((await list(mallory, 'zoom')).status).toBe(403);
  expect(await account(mallory, 'zoom')).toBeUndefined();
  expect((await list(person, 'zoom')).status).toBe(200);
});

it('no proof of identity is in a log, an answer or a table', async () => {
  const { keys } = house.house;
  expect(keys.unseal('a', keys.seal('a', 'text'))).toBe('text');
  expect(keys.unseal('b', keys.seal('a', 'text'))).toBeNull();
  expect(keys.unseal('a', Buffer.from('short'))).toBeNull();
  const lines = house.log();
  expect(lines).toContain('/api/login/zoom/callback');
  for (const { secrets, sent } of Object.values(services)) {
    expect(secrets.length).toBeGreaterThan(20);
    expect(sent()).toBeGreaterThan(0);
    for (const secret of secrets) expect(lines.includes(secret)).toBe(false);
  }
  const [found] = await house.database.sql<{ dump: string }[]>`
    select string_agg(t::text, ' ') as dump from (
      select row_to_json(a)::text as t from service_accounts a union all select row_to_json(f)::text from service_flows f
      union all select row_to_json(r)::text from recording_imports r union all select row_to_json(j)::text from jobs j) all_of_it`;
  for (const { secrets } of Object.values(services))
    for (const secret of secrets) expect(found?.dump.includes(secret)).toBe(false);
});

it('requests follow the configuration', () => {
  const client = { clientId: 'id', clientSecret: 's' };
  const flow = { state: 's', verifier: 'v', redirectUri: 'https://colloquy.example/api/login/zoom/callback' };
  const zoom = zoomService({ ...client, url: 'https://zoom.us', apiUrl: 'https://api.zoom.us/v2' });
  expect(zoom.authorizationUrl(flow).href).toMatch(
    /^https:\/\/zoom\.us\/oauth\/authorize\?response_type=code&client_id=id&/,
  );
  const webex = webexService({ ...client, url: 'https://webex.com', apiUrl: 'https://webexapis.com/v1' });
  expect(webex.authorizationUrl(flow).href).toMatch(/^https:\/\/webexapis\.com\/v1\/authorize\?response_type=code&/);
});

const ownTranscript = {
  model: 'external',
  lang: 'en-US',
  transcriptType: 'ZOOM',
  transcript: { fileName: 'meeting.vtt', content: 'WEBVTT\n\n1\n00:00:00.000 --> 00:00:00.900\nAnn: Hello.\n' },
};

async function stored(id: string): Promise<Buffer> {
  const row = await upload(id);
  const pieces: Buffer[] = [];
  for await (const piece of (await house.house.store.read(row?.storeKey ?? '')) as AsyncIterable<Buffer>)
    pieces.push(piece);
  return Buffer.concat(pieces);
}

const ownerOf = (there: TestService, one: Kept): string =>
  [...there.recordings].find(([, kept]) => kept.some(({ id }) => id === one.id))?.[0] ?? '';
const announcing: NonNullable<TestService['mood']['send']> = (_asked, response) => {
  response.writeHead(200, { 'Content-Length': String(mostBytes + 1) });
  response.write('x');
};
/** Without saying how much it is going to be. */
const endless: NonNullable<TestService['mood']['send']> = (_asked, response) => {
  response.writeHead(200);
  const piece = Buffer.alloc(256 * 1024);
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', more);
  more();
};
function changing(there: TestService): void {
  let nth = 0;
  there.mood.send = (asked, response, { content }) => {
    nth += 1;
    sendBytes(
      asked,
      response,
      nth === 1 ? content : Buffer.from([...content].reverse()),
      true,
      nth === 1 ? 200_000 : undefined,
    );
  };
}
