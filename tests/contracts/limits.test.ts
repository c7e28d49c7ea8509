// Counters of limits: one contract, on PostgreSQL and on Redis.
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#db/open.ts';
import { createLimits, postgresCounter, redisCounter, type Counter, type Rule } from '#server/limits.ts';
import { createMetrics } from '#server/metrics.ts';
import { newId } from '#shared/ids.ts';
import { Problem } from '#shared/problems.ts';
import { MovableClock } from '#tests/support/clock.ts';
import { freshDatabase } from '#tests/support/database.ts';
import { noRedis, openRedis, redisBinary } from '#tests/support/redis.ts';

interface Setup {
  counter: Counter;
  /** Counter of another process, on the same store. */
  other: Counter;
  /** Lets that many seconds pass. */
  forward(seconds: number): Promise<void>;
  close(): Promise<void>;
}

async function onPostgres(): Promise<Setup> {
  const { url, database, drop } = await freshDatabase();
  const second = openDatabase(url);
  const clock = new MovableClock();
  return {
    counter: postgresCounter(database, clock),
    other: postgresCounter(second, clock),
    forward: (seconds) => Promise.resolve(clock.forward(seconds)),
    close: async () => {
      await second.close();
      await drop();
    },
  };
}

async function onRedis(): Promise<Setup> {
  const server = await openRedis();
  const [first, second] = [new Redis(server.url), new Redis(server.url)];
  return {
    counter: redisCounter(first),
    other: redisCounter(second),
    // Redis has a clock of its own, so the remaining time of every window is shortened instead.
    forward: async (seconds) => {
      for (const key of await first.keys('*')) await first.pexpire(key, (await first.pttl(key)) - seconds * 1000);
    },
    close: async () => {
      first.disconnect();
      second.disconnect();
      await server.close();
    },
  };
}

const stores: [name: string, open: () => Promise<Setup>, missing: string | null][] = [
  ['PostgreSQL', onPostgres, null],
  ['Redis', onRedis, redisBinary() ? null : noRedis],
];

describe.each(stores)('counting in %s', (_name, open, missing) => {
  if (missing) {
    test('the whole contract', ({ skip }) => skip(missing));
    return;
  }
  let setup: Setup;
  beforeAll(async () => {
    setup = await open();
  });
  afterAll(() => setup.close());

  const some = (most: number, per = 60): Rule => ({ name: `rule-${newId(8)}`, most, per, whenBlind: 'closed' });
  const taken = async (rule: Rule, key: string, times: number): Promise<boolean[]> => {
    const all: boolean[] = [];
    for (let i = 0; i < times; i += 1) all.push((await setup.counter.take(rule, key)).allowed);
    return all;
  };

  test('allows as many as the rule says, and not one more', async () => {
    expect(await taken(some(3), 'ann', 5)).toEqual([true, true, true, false, false]);
    expect(await taken(some(1), 'ann', 2)).toEqual([true, false]);
  });

  test('a look at the counter does not count', async () => {
    const rule = some(2);
    for (let i = 0; i < 5; i += 1) expect((await setup.counter.peek(rule, 'ann')).allowed).toBe(true);
    expect(await taken(rule, 'ann', 2)).toEqual([true, true]);
    expect((await setup.counter.peek(rule, 'ann')).allowed).toBe(false);
  });

  test('each key is counted separately, under every rule', async () => {
    const [one, two] = [some(1), some(1)];
    expect(await taken(one, 'ann', 2)).toEqual([true, false]);
    expect(await taken(one, 'ben', 1)).toEqual([true]);
    expect(await taken(two, 'ann', 1)).toEqual([true]);
  });

  test.each(['2001:db8::/64', 'Ünïcode@example.test', 'with spaces\nand lines', '*', '%', "'; --", 'x'.repeat(254)])(
    'a key may be anything: %s',
    async (key) => {
      const rule = some(1);
      expect(await taken(rule, key, 2)).toEqual([true, false]);
      expect(await taken(rule, `${key}.`, 1)).toEqual([true]);
      await setup.counter.clear(rule, key);
      expect(await taken(rule, key, 1)).toEqual([true]);
    },
  );

  test('a window ends on time, however many attempts are made in it', async () => {
    const rule = some(2, 60);
    expect(await taken(rule, 'ann', 3)).toEqual([true, true, false]);
    await setup.forward(40);
    const { allowed, retryAfter } = await setup.counter.take(rule, 'ann');
    expect(allowed).toBe(false);
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(20);
    await setup.forward(21);
    expect((await setup.counter.peek(rule, 'ann')).allowed).toBe(true);
    expect(await taken(rule, 'ann', 3)).toEqual([true, true, false]);
  });

  test('of many at once exactly as many succeed as the rule allows, in any process', async () => {
    const rule = some(10);
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, i) => (i % 2 ? setup.counter : setup.other).take(rule, 'ann')),
    );
    expect(all.filter(({ allowed }) => allowed)).toHaveLength(10);
  });

  test('two processes share one counter', async () => {
    const rule = some(2);
    expect((await setup.counter.take(rule, 'ann')).allowed).toBe(true);
    expect((await setup.other.take(rule, 'ann')).allowed).toBe(true);
    expect((await setup.counter.take(rule, 'ann')).allowed).toBe(false);
    await setup.other.clear(rule, 'ann');
    expect((await setup.counter.take(rule, 'ann')).allowed).toBe(true);
  });

  test('returned amounts may be taken again, but never more than the rule allows', async () => {
    const rule = some(2);
    for (let i = 0; i < 3; i += 1) await setup.counter.giveBack(rule, 'ann');
    expect(await taken(rule, 'ann', 3)).toEqual([true, true, false]);
    await setup.counter.giveBack(rule, 'ann');
    await setup.counter.giveBack(rule, 'ann');
    expect(await taken(rule, 'ann', 2)).toEqual([true, false]);
    // The window in which the returned amount was taken may be over.
    await setup.forward(61);
    await setup.counter.giveBack(rule, 'ann');
    await setup.forward(61);
    expect(await taken(rule, 'ann', 3)).toEqual([true, true, false]);
  });

  test('a forgotten key is counted anew', async () => {
    const rule = some(1);
    await taken(rule, 'ann', 2);
    await setup.counter.clear(rule, 'ann');
    await setup.counter.clear(rule, 'nobody');
    expect(await taken(rule, 'ann', 2)).toEqual([true, false]);
  });
});

describe('counting in PostgreSQL', () => {
  let setup: Awaited<ReturnType<typeof freshDatabase>>;
  const clock = new MovableClock();
  const rule: Rule = { name: 'rule', most: 1, per: 60, whenBlind: 'closed' };
  beforeAll(async () => {
    setup = await freshDatabase();
  });
  afterAll(() => setup.drop());

  test('a transaction that is undone counts nothing', async () => {
    const counter = postgresCounter(setup.database, clock);
    const undone = setup.database.orm.transaction(async (tx) => {
      expect((await counter.take(rule, 'ann', tx as never)).allowed).toBe(true);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect((await counter.take(rule, 'ann')).allowed).toBe(true);
    expect((await counter.take(rule, 'ann')).allowed).toBe(false);
  });

  test('expired counters are swept, the others stay', async () => {
    const counter = postgresCounter(setup.database, clock);
    await counter.take(rule, 'swept');
    clock.forward(61);
    await counter.take(rule, 'kept');
    await counter.sweep();
    const rows = await setup.database.sql<{ key: string }[]>`select key from rate_limits order by key`;
    expect(rows.map(({ key }) => key)).toEqual(['rule:kept']);
  });
});

describe('limits whose counter cannot be reached', () => {
  const away = () => Promise.reject(new Error('away'));
  const counter: Counter = { take: away, peek: away, giveBack: away, clear: away };
  const complaints: unknown[] = [];
  const limits = createLimits(counter, createMetrics(), (error) => complaints.push(error));
  const rule = (whenBlind: Rule['whenBlind']): Rule => ({ name: 'rule', most: 1, per: 60, whenBlind });

  test('refuse under a rule that fails closed, and say when to try again', async () => {
    for (const asked of [limits.take, limits.check, limits.allow]) {
      const refused = await asked(rule('closed'), 'ann').catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Problem);
      expect(refused).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 5 });
    }
  });

  test('allow under a rule that fails open', async () => {
    await limits.take(rule('open'), 'ann');
    await limits.check(rule('open'), 'ann');
    expect(await limits.allow(rule('open'), 'ann')).toBe(true);
  });

  test('do not fail when they give back or clear, but always report the error', async () => {
    complaints.length = 0;
    await limits.giveBack(rule('closed'), 'ann');
    await limits.clear(rule('closed'), 'ann');
    expect(complaints).toHaveLength(2);
  });
});
