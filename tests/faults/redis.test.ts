// F17 and F19: Redis goes away, hangs, forgets everything, and comes back.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { noRedis, openRedis, redisBinary, type TestRedis } from '#tests/support/redis.ts';

const missing = redisBinary() ? null : noRedis;

describe('limits counted in Redis', () => {
  if (missing) {
    test('while it is away, and after', ({ skip }) => skip(missing));
    return;
  }
  let redis: TestRedis;
  let house: TestHouse;
  let ann: Person;
  beforeAll(async () => {
    redis = await openRedis();
    house = await openHouse({ env: { REDIS_URL: redis.url } });
    ann = await house.person('Ann');
  });
  afterAll(async () => {
    await house.close();
    await redis.close();
  });

  const signIn = async (password = ann.password): Promise<Answer> => {
    const somebody = house.stranger();
    somebody.email = ann.email;
    return somebody.login({ password });
  };
  /** Repeats the request until it succeeds; the limit of the test bounds it. */
  const well = async () => {
    while ((await signIn()).status !== 200) await sleep(50);
  };
  const expectShut = (answer: Answer) => {
    expect(answer.problem).toMatchObject({ status: 503, code: 'UNAVAILABLE' });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  };
  const expectOpen = async () => {
    expect((await ann.whoami()).body).toMatchObject({ principal: { kind: 'user' } });
    expect((await ann.post('/api/principals/search', { text: 'ann' })).status).toBe(200);
    expect((await ann.post('/api/principals/me', { language: 'ru' })).status).toBe(200);
    expect((await house.stranger().get('/readyz')).status).toBe(200);
  };

  test('it is Redis that counts', async () => {
    expect((await signIn('not this password')).status).toBe(401);
    const client = new Redis(redis.url);
    const keys = await client.keys('colloquy:limit:*');
    expect(keys.some((key) => key.includes('login-account'))).toBe(true);
    for (const key of keys) expect(await client.ttl(key)).toBeGreaterThan(0);
    client.disconnect();
  });

  test('while it is away signing in is shut and reading is open, and all is well when it is back', async () => {
    await redis.stop();
    expectShut(await signIn());
    const newcomer = house.stranger();
    newcomer.email = 'dana@example.test';
    expectShut(await newcomer.register());
    await expectOpen();
    // Said at the first attempt to come back, not at the loss.
    await vi.waitFor(() => expect(house.log()).toContain('Redis is away'), { timeout: 60_000 });
    await redis.start();
    await well();
    await vi.waitFor(() => expect(house.log()).toContain('Redis is back'), { timeout: 60_000 });
  });

  test('while it hangs it is away', async () => {
    redis.freeze();
    expectShut(await signIn());
    await expectOpen();
    redis.thaw();
    await well();
  });

  test('counters that it forgot start again', async () => {
    for (let i = 0; i < 12; i += 1) await signIn('not this password');
    expect((await signIn()).status).toBe(429);
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    expect((await signIn()).status).toBe(200);
    for (let i = 0; i < 10; i += 1) expect((await signIn('not this password')).status).toBe(401);
    expect((await signIn('not this password')).status).toBe(429);
  });

  test('two processes count together', async () => {
    const second = await openHouse({ env: { REDIS_URL: redis.url, DATABASE_URL: house.url } });
    const victim = await house.person('Ben');
    const tryAt = async (where: TestHouse) => {
      const somebody = where.stranger();
      somebody.email = victim.email;
      return (await somebody.login({ password: 'not this password' })).status;
    };
    for (let i = 0; i < 5; i += 1) expect([await tryAt(house), await tryAt(second)]).toEqual([401, 401]);
    expect([await tryAt(house), await tryAt(second)]).toEqual([429, 429]);
    await second.close();
  });
});

test('a house that starts while Redis is away starts, and is well when it comes', async ({ skip }) => {
  if (missing) skip(missing);
  const redis = await openRedis();
  await redis.stop();
  const house = await openHouse({ env: { REDIS_URL: redis.url } });
  const ann = await house.person('Ann');
  expect((await ann.whoami()).status).toBe(200);
  expect((await ann.login()).status).toBe(503);
  await redis.start();
  while ((await ann.login()).status !== 200) await sleep(50);
  await house.close();
  await redis.close();
});
