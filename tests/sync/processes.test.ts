// M1 to M3 and S1 with real processes: one API, one for jobs, three for live editing, one PostgreSQL, one Redis.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Redis } from 'ioredis';
import { WebSocket } from 'ws';
import {
  Editor,
  closeEditors,
  difference,
  nothingWrong,
  settled,
  stored,
  synced,
  typedBy,
  typing,
  until,
} from '../support/editors.ts';
import { openFront, type Front } from '../support/front.ts';
import { openHouse, type TestHouse } from '../support/house.ts';
import { makeMeeting, share, ticketFor } from '../support/meetings.ts';
import { Person } from '../support/people.ts';
import { endProcesses, openProcess, type RunningHouse } from '../support/processes.ts';
import { noRedis, openRedis, redisBinary, type TestRedis } from '../support/redis.ts';

afterEach(() => closeEditors());

describe('the work split over processes', () => {
  if (!redisBinary()) {
    test('as API, live editing and jobs', ({ skip }) => skip(noRedis));
    return;
  }
  /** Makes people and meetings for the processes; serves no sockets and sends no mail. */
  let house: TestHouse;
  let redis: TestRedis;
  let front: Front;
  let api: RunningHouse;
  let jobs: RunningHouse;
  const syncs: RunningHouse[] = [];
  let ann: Person;
  let ben: Person;
  let room: string;
  const env = () => ({
    DATABASE_URL: house.url,
    REDIS_URL: redis.url,
    PUBLIC_URL: front.origin,
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'warn',
  });
  const openSync = async (): Promise<RunningHouse> => {
    const one = await openProcess({ ...env(), ROLE: 'sync' });
    syncs.push(one);
    return one;
  };

  beforeAll(async () => {
    [redis, front] = await Promise.all([
      openRedis(),
      openFront(() => ({ api: api.port, sync: syncs.map(({ port }) => port) })),
    ]);
    house = await openHouse({ env: { ROLE: 'api', PUBLIC_URL: front.origin } });
    [api, jobs] = await Promise.all([
      openProcess({ ...env(), ROLE: 'api' }),
      openProcess({ ...env(), ROLE: 'jobs' }),
      openSync(),
      openSync(),
      openSync(),
    ]);
    // People connect to the public address, with the cookie alone.
    [ann, ben] = (await house.people(2)).map(({ cookies }) => Object.assign(new Person(front.origin), { cookies })) as [
      Person,
      Person,
    ];
  }, 300_000);
  afterAll(async () => {
    endProcesses();
    front.close();
    await house.close();
    await redis.close();
  });

  const cookie = (person: Person) => [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const editor = (person: Person) =>
    new Editor({ room, at: () => front.origin, headers: { Cookie: cookie(person), Origin: front.origin } });
  /** Two people with three windows each: with three processes, each process has two of the sockets. */
  const sixEditors = async () => {
    const meeting = await makeMeeting(house, ann);
    await share(house, meeting, ben, ['read', 'comment', 'write', 'discover']);
    room = `${meeting}/transcript`;
    const all = [ann, ben, ann, ben, ann, ben].map(editor);
    await synced(all);
    // People of the test before may take a moment to leave.
    await until(async () => (await spread()).reduce((sum, one) => sum + one) === all.length);
    return all;
  };
  const spread = (): Promise<number[]> => Promise.all(syncs.map(socketsAt));
  const socketsAt = async ({ origin }: RunningHouse): Promise<number> => {
    const text = await (await fetch(`${origin}/metrics`)).text();
    return Number(/^colloquy_sync_sockets (\d+)$/m.exec(text)?.[1]);
  };

  test.each([
    ['api', () => api, { page: 200, door: 404 }],
    ['sync', () => syncs[0], { page: 404, door: 101 }],
    ['jobs', () => jobs, { page: 404, door: 404 }],
  ] as const)('%s serves its own part, health and figures, and nothing else', async (_, process, expected) => {
    const { origin } = process() as RunningHouse;
    for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(origin + path)).status).toBe(200);
    expect((await fetch(`${origin}/api/login`)).status).toBe(expected.page);
    const room = `${await makeMeeting(house, ann)}/transcript`;
    const ticket = await ticketFor(ann, room);
    const plain = await fetch(`${origin}/sync/${room}?ticket=${ticket}`);
    expect([plain.status, await plain.json()]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/sync/${room}?ticket=${ticket}`);
    const door = await new Promise<number | undefined>((resolve) => {
      socket.on('open', () => resolve(101));
      socket.on('unexpected-response', (_request, answer) => resolve(answer.statusCode));
      socket.on('error', () => {});
    });
    socket.terminate();
    expect(door).toBe(expected.door);
  });

  test('mail that a request at the API asks for leaves from the process for jobs', async () => {
    const dana = new Person(front.origin);
    dana.email = 'dana@example.test';
    expect((await dana.register()).status).toBe(200);
    await until(async () => (await house.mails(dana.email))[0]?.sentAt !== null);
    const sent = async ({ origin }: RunningHouse) =>
      (await (await fetch(`${origin}/metrics`)).text()).includes('colloquy_mails_total{result="sent"} 1');
    await until(() => sent(jobs));
    expect(await sent(api)).toBe(false);
  });

  test('M1 editors at three processes see each other and what they write, and what is saved is in the log', async () => {
    const all = await sixEditors();
    expect(await spread()).toEqual([2, 2, 2]);
    for (const [i, { provider }] of all.entries()) provider.awareness.setLocalStateField('cursor', { at: i });
    const everybody = [0, 1, 2, 3, 4, 5];
    await until(() =>
      all.every(({ provider }) => {
        const seen = [...provider.awareness.getStates().values()].map((state) => state['cursor']?.at as number);
        return JSON.stringify(seen.toSorted()) === JSON.stringify(everybody);
      }),
    );
    const hands = typing(all);
    await until(() => all.every(({ saved }) => saved.length >= 10));
    // Meanwhile, everything acknowledged is durable.
    const saved = all.flatMap((one) => one.saved);
    expect(difference((await stored(house.database.sql, room)).text, saved).missing).toEqual([]);
    await hands.stop();
    await settled(all);
    expect(difference(all[0]?.text.toString() ?? '', typedBy(all))).toEqual(nothingWrong);
    expect((await stored(house.database.sql, room)).text).toBe(all[0]?.text.toString());
    // A person who leaves disappears at the other processes, too.
    all[0]?.close();
    await until(() => all.slice(1).every(({ provider }) => provider.awareness.getStates().size === 5));
  });

  test('one process is killed: what it acknowledged is kept, its editors move over, nothing is lost or doubled', async () => {
    const all = await sixEditors();
    const hands = typing(all);
    await until(() => all.every(({ saved }) => saved.length >= 5));
    const [victim] = syncs.splice(0, 1);
    victim?.child.kill('SIGKILL');
    const saved = all.flatMap((one) => one.saved);
    expect(difference((await stored(house.database.sql, room)).text, saved).missing).toEqual([]);
    await until(() => all.filter(({ closes }) => closes.includes(1006)).length === 2);
    await synced(all);
    const before = all.map((one) => one.saved.length);
    await until(() => all.every((one, i) => one.saved.length >= (before[i] ?? 0) + 5));
    await hands.stop();
    await settled(all);
    expect(difference(all[0]?.text.toString() ?? '', typedBy(all))).toEqual(nothingWrong);
    await until(async () => (await spread()).reduce((sum, one) => sum + one) === all.length);
    await openSync();
  });

  test('S1 one process is stopped: it sends its editors elsewhere, stores what waits, and ends well', async () => {
    const all = await sixEditors();
    const hands = typing(all, 30);
    await until(() => all.every(({ saved }) => saved.length >= 5));
    const [leaving] = syncs.splice(0, 1);
    leaving?.child.kill('SIGTERM');
    expect(await leaving?.ended).toBe(0);
    expect(leaving?.lines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
    await synced(all);
    await hands.stop();
    await settled(all);
    expect(all.flatMap(({ closes }) => closes)).toEqual([1012, 1012]);
    expect(difference(all[0]?.text.toString() ?? '', typedBy(all))).toEqual(nothingWrong);
    await openSync();
  });

  test.each([
    ['F17 is killed and comes back', () => redis.stop(), () => redis.start()],
    ['F19 hangs and recovers', () => redis.freeze(), () => redis.thaw()],
    [
      'F17 forgets everything',
      async () => {
        const client = new Redis(redis.url);
        await client.flushall();
        await client.script('FLUSH');
        client.disconnect();
      },
      () => {},
    ],
  ] as const)('M2, M3 Redis %s: everybody continues and has everything', async (_, away, back) => {
    const all = await sixEditors();
    const hands = typing(all);
    await until(() => all.every(({ saved }) => saved.length >= 3));
    try {
      await away();
      const before = all.map((one) => one.saved.length);
      await until(() => all.every((one, i) => one.saved.length >= (before[i] ?? 0) + 10));
      await hands.stop();
      // By the log alone, while Redis is still away.
      await settled(all);
      expect(difference(all[0]?.text.toString() ?? '', typedBy(all))).toEqual(nothingWrong);
    } finally {
      await back();
    }
    // No socket was closed for it, and presence, which is in no log, crosses again.
    expect(all.flatMap(({ closes }) => closes)).toEqual([]);
    await until(() => {
      for (const [i, { provider }] of all.entries()) provider.awareness.setLocalStateField('cursor', { at: i });
      return all.every(({ provider }) => provider.awareness.getStates().size === 6);
    });
  });

  test('M2 a room that was opened while Redis was away shows everybody once Redis is back', async () => {
    await redis.stop();
    let all: Awaited<ReturnType<typeof sixEditors>>;
    try {
      all = await sixEditors();
    } finally {
      await redis.start();
    }
    await until(() => {
      for (const [i, { provider }] of all.entries()) provider.awareness.setLocalStateField('cursor', { at: i });
      return all.every(({ provider }) => provider.awareness.getStates().size === 6);
    });
    expect(all.flatMap(({ closes }) => closes)).toEqual([]);
  });
});

test('M2 without any Redis two processes find in the log what the other has stored', async () => {
  const house = await openHouse();
  const other = await openHouse({ env: { DATABASE_URL: house.url } });
  const ann = await house.person('Ann');
  const room = `${await makeMeeting(house, ann)}/transcript`;
  const ticket = await ticketFor(ann, room);
  const all = [house, other, house, other].map(({ origin }) => new Editor({ room, at: () => origin, ticket }));
  await synced(all);
  const hands = typing(all);
  await until(() => all.every(({ saved }) => saved.length >= 10));
  await hands.stop();
  await settled(all);
  expect(difference(all[0]?.text.toString() ?? '', typedBy(all))).toEqual(nothingWrong);
  expect(all.flatMap(({ closes }) => closes)).toEqual([]);
  closeEditors();
  await other.close();
  await house.close();
});
