// A01, A03 and their neighbours: what a stranger learns about accounts, and how often they may guess.
import { and, eq, isNotNull } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invitations, users } from '#db/schema/accounts.ts';
import { rules } from '#server/limits.ts';
import { newId } from '#shared/ids.ts';
import { accountAttacks, invite, wrongSignIns } from './accounts.ts';
import { attempt, cookiesOf, friendly, newAddress, openWorld, runAttacks, type Received, type World } from './run.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.house.close());

const signIn = (email: string, password: string, headers: Record<string, string> = {}): Promise<Received> =>
  world.send({
    method: 'POST',
    path: '/api/login',
    headers: { ...friendly(), 'X-Forwarded-For': newAddress(), ...headers },
    json: { email, password },
  });
const statuses = (answers: Received[]): number[] => answers.map(({ status }) => status);
const inTurn = async <T>(count: number, work: (i: number) => Promise<T>): Promise<T[]> => {
  const all: T[] = [];
  for (let i = 0; i < count; i += 1) all.push(await work(i));
  return all;
};

runAttacks(accountAttacks, () => world);

test('A01 neither the answer nor the work for it shows who has an account', async () => {
  const { passwords } = world.house.house;
  const { verify } = passwords;
  let hashed = 0;
  passwords.verify = (...given) => {
    hashed += 1;
    return verify(...given);
  };
  try {
    const bodies = new Set<string>();
    const cookies = new Set<string>();
    for (const request of Object.values(wrongSignIns)) {
      const before = hashed;
      const answer = await world.send(await request(world));
      bodies.add(answer.text.replace(answer.problem.requestId, 'id'));
      cookies.add(String(answer.headers['set-cookie']));
      expect(hashed - before).toBe(1);
    }
    expect(bodies.size).toBe(1);
    expect([...cookies]).toEqual(['undefined']);
  } finally {
    passwords.verify = verify;
  }
});

test('A01 registering, asking for a reset and for another confirmation answer alike, for known and unknown addresses', async () => {
  const owner = await world.house.person('Ben');
  const nobody = `nobody-${newId(8).toLowerCase()}@example.test`;
  const shape = async (path: string, email: string, more: object = {}) => {
    const answer = await world.send({
      method: 'POST',
      path,
      headers: { ...friendly(), 'X-Forwarded-For': newAddress() },
      json: { email, ...more },
    });
    const text = answer.text.replaceAll(email, 'address').replaceAll(/"id":"\w+"/g, '"id":"…"');
    return {
      status: answer.status,
      text,
      cookies: answer.headers['set-cookie']?.map((line) => line.replace(/=[^;]+/, '=…')),
    };
  };
  const form = {
    password: 'correct horse battery',
    passwordConfirm: 'correct horse battery',
    firstName: 'Dana',
    lastName: 'Test',
    terms: true,
  };
  expect(await shape('/api/register', owner.email, form)).toEqual(await shape('/api/register', nobody, form));
  expect(await shape('/api/reset', owner.email)).toEqual(await shape('/api/reset', nobody));
  expect(await shape('/api/confirm', owner.email)).toEqual(await shape('/api/confirm', nobody));
});

describe('A03 guessing passwords', () => {
  test('the eleventh try at one account is refused, wherever the tries come from, and the right password with it', async () => {
    const victim = await world.house.person('Ben');
    const answers = await inTurn(11, () => signIn(victim.email, 'not this password'));
    expect(statuses(answers)).toEqual([...Array<number>(10).fill(401), 429]);
    expect((await signIn(victim.email, victim.password)).problem.code).toBe('RATE');
    expect(Number(answers[10]?.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('many at once get no more tries than one after the other', async () => {
    const victim = await world.house.person('Ben');
    const answers = await Promise.all(Array.from({ length: 40 }, () => signIn(victim.email, 'not this password')));
    expect(statuses(answers).filter((status) => status === 401)).toHaveLength(10);
    expect(statuses(answers).filter((status) => status === 429)).toHaveLength(30);
  });

  test('a browser that signed in before may sign in while strangers are blocked', async () => {
    const victim = await world.house.person('Ben', { address: newAddress() });
    await victim.login();
    await inTurn(11, () => signIn(victim.email, 'not this password'));
    expect((await victim.login()).status).toBe(200);
  });

  test('one address that tries many accounts is refused', async () => {
    const from = { 'X-Forwarded-For': newAddress() };
    await inTurn(rules.loginAddress.most, (i) => world.house.house.limits.allow(rules.loginAddress, `filler-${i}`));
    await inTurn(rules.loginAddress.most, () =>
      world.house.house.limits.allow(rules.loginAddress, from['X-Forwarded-For']),
    );
    const answer = await signIn(`somebody-${newId(6)}@example.test`, 'not this password', from);
    expect(answer.problem.code).toBe('RATE');
  });

  test('an IPv6 network counts as one address', async () => {
    const rotating = () => ({ 'X-Forwarded-For': `2001:db8:7:7:${newId(4).replaceAll(/[^0-9a-f]/gi, '0')}::1` });
    await inTurn(rules.loginAddress.most, () =>
      world.house.house.limits.allow(rules.loginAddress, '2001:db8:7:7::/64'),
    );
    expect((await signIn('a@example.test', 'not this password', rotating())).problem.code).toBe('RATE');
    const neighbour = { 'X-Forwarded-For': '2001:db8:7:8::1' };
    expect((await signIn('a@example.test', 'not this password', neighbour)).problem.code).toBe('UNAUTH');
  });

  test('L12 the same account in other letters is the same account', async () => {
    const victim = await world.house.person('Ben');
    const spellings = [victim.email.toUpperCase(), ` ${victim.email}`, `${victim.email}.`];
    const answers = await inTurn(12, (i) => signIn(spellings[i % spellings.length] ?? '', 'not this password'));
    expect(statuses(answers).filter((status) => status === 401)).toHaveLength(10);
    // Letters in disguise are no address at all: they could be another mailbox.
    expect((await signIn(victim.email.replace('ben', 'ｂｅｎ'), 'not this password')).status).toBe(422);
  });
});

describe('A11 the check against robots', () => {
  let guarded: World;
  beforeAll(async () => {
    guarded = await openWorld({ env: { BOT_CHECK: 'on' } });
  });
  afterAll(() => guarded.house.close());

  const form = {
    password: 'correct horse battery',
    passwordConfirm: 'correct horse battery',
    firstName: 'Dana',
    lastName: 'Test',
    terms: true,
  };
  const proofs: Record<string, string | undefined> = {
    'no proof': undefined,
    'an empty proof': '',
    'a proof of nonsense': Buffer.from('{"challenge":{},"solution":{}}').toString('base64'),
    'a proof that is no JSON': 'not a proof at all',
  };
  for (const [what, botToken] of Object.entries(proofs)) {
    for (const [path, more] of [
      ['/api/register', form],
      ['/api/reset', {}],
    ] as const) {
      test(`${path} with ${what}`, () =>
        attempt(
          {
            id: 'A11',
            what,
            request: {
              method: 'POST',
              path,
              headers: friendly(),
              json: { email: 'dana@example.test', ...more, botToken },
            },
            expect: { status: 422, code: 'BOT' },
          },
          guarded,
        ));
    }
  }
});

describe('A12 asking for resets', () => {
  test('twenty in a minute send three mails, and every answer is the same', async () => {
    const victim = await world.house.person('Ben');
    const answers = await inTurn(20, () =>
      world.send({
        method: 'POST',
        path: '/api/reset',
        headers: { ...friendly(), 'X-Forwarded-For': newAddress() },
        json: { email: victim.email },
      }),
    );
    expect(new Set(statuses(answers))).toEqual(new Set([204]));
    expect(await world.house.mails(victim.email)).toHaveLength(3);
  });

  test('a page with a reset link loads nothing from elsewhere and tells other sites nothing about its address', async () => {
    const answer = await world.send({ path: '/api/reset/some-token' });
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(answer.text).not.toMatch(/https?:|src=/);
  });
});

test('A20 fifty who accept one invitation at once are one', async () => {
  const other = await world.house.person('Ben', { address: newAddress() });
  const { secret } = await invite(world, other.email);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      world.send({
        method: 'POST',
        path: `/api/invitations/${secret}`,
        headers: { ...friendly(), 'X-Forwarded-For': newAddress(), Cookie: cookiesOf(other) },
      }),
    ),
  );
  // Requests that find no free connection in time are asked to come again; all others succeed.
  expect(new Set(statuses(answers).filter((status) => status !== 503))).toEqual(new Set([200]));
  const accepted = await world.house.database.orm
    .select()
    .from(invitations)
    .where(and(eq(invitations.acceptedBy, other.id), isNotNull(invitations.acceptedAt)));
  expect(accepted).toHaveLength(1);
  expect(await world.house.database.orm.select().from(users).where(eq(users.email, other.email))).toHaveLength(1);
});
