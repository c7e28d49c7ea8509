// Section 3.1: signing in, sessions, registration, and the tokens of mails.
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { expect } from 'vitest';
import { invitations, sessions, users } from '#db/schema/accounts.ts';
import { createInvitation } from '#server/people/invitations.ts';
import type { Ctx, Signed } from '#server/context.ts';
import { hashOf } from '#server/keys.ts';
import { newId } from '#shared/ids.ts';
import type { Person } from '#tests/support/people.ts';
import { cookiesOf, friendly, newAddress, type Attack, type Received, type Sent, type World } from './run.ts';

const login = (json: unknown): Sent => ({ method: 'POST', path: '/api/login', headers: friendly(), json });
const post = (path: string, json?: unknown, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  path,
  headers: { ...friendly(), ...headers },
  ...(json === undefined ? {} : { json }),
});

export const newcomer = (fields: Record<string, unknown> = {}) => ({
  email: `dana-${newId(10).toLowerCase()}@example.test`,
  password: 'correct horse battery',
  passwordConfirm: 'correct horse battery',
  firstName: 'Dana',
  lastName: 'Test',
  terms: true,
  ...fields,
});

/** A new person, calling from an address of their own. */
const somebody = ({ house }: World, name = 'Ben') => house.person(name, { address: newAddress() });

async function registered(world: World): Promise<Person> {
  const person = world.house.stranger();
  person.email = newcomer().email;
  person.address = newAddress();
  await person.register();
  return person;
}

async function resetToken(world: World, person: Person): Promise<string> {
  await world.send(post('/api/reset', { email: person.email }, { 'X-Forwarded-For': newAddress() }));
  return world.house.tokenFor(person.email, '/reset');
}

// ---- A01 to A03: the password ------------------------------------------------------------------

export const wrongSignIns: Record<string, (world: World) => Promise<Sent>> = {
  'an address nobody has': async () => login({ email: newcomer().email, password: 'not this password' }),
  'a wrong password': async (world) => login({ email: (await somebody(world)).email, password: 'not this password' }),
  'an account without a password': async (world) => {
    const person = await somebody(world);
    await world.house.database.orm.update(users).set({ passwordHash: null }).where(eq(users.id, person.id));
    return login({ email: person.email, password: person.password });
  },
  'an unconfirmed address': async (world) => {
    const person = await registered(world);
    return login({ email: person.email, password: person.password });
  },
};

const oddLogins: Record<string, unknown> = {
  'operators instead of texts': { email: { $ne: null }, password: { $ne: null } },
  'arrays instead of texts': { email: ['a@example.test'], password: ['some password'] },
  'numbers instead of texts': { email: 12_345_678, password: 0 },
  'a password of 1025 bytes': { email: 'a@example.test', password: 'x'.repeat(1025) },
  'a password with U+0000': { email: 'a@example.test', password: 'some\0password' },
  'an address with U+0000': { email: 'a\0b@example.test', password: 'some password' },
  nothing: {},
  null: null,
  'a list': [],
};

// ---- A06: forged tokens ------------------------------------------------------------------------

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claims = (purpose: string, more: object = {}) => {
  const now = Math.floor(Date.now() / 1000);
  return { iss: 'colloquy', aud: purpose, sub: newId(), jti: newId(), iat: now, exp: now + 3600, ...more };
};
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const signed = (header: object, payload: object, key: string | Buffer): string => {
  const head = `${part(header)}.${part(payload)}`;
  return `${head}.${createHmac('sha256', key).update(head).digest('base64url')}`;
};
type Forger = (purpose: string) => string;
const forged: Record<string, Forger> = {
  'alg none': (purpose) => `${part({ alg: 'none', typ: `${purpose}+jwt` })}.${part(claims(purpose))}.`,
  'an own key': (purpose) => signed({ alg: 'HS256', typ: `${purpose}+jwt` }, claims(purpose), 'a key of my own'),
  'an empty key': (purpose) => signed({ alg: 'HS256', typ: `${purpose}+jwt` }, claims(purpose), Buffer.alloc(32)),
  'a key file by kid': (purpose) =>
    signed({ alg: 'HS256', typ: `${purpose}+jwt`, kid: '../../../../dev/null' }, claims(purpose), Buffer.alloc(0)),
  'a key from elsewhere by jku': (purpose) =>
    signed({ alg: 'HS256', typ: `${purpose}+jwt`, jku: 'http://127.0.0.1:9/keys' }, claims(purpose), 'mine'),
  'a public key as secret': (purpose) =>
    signed({ alg: 'HS256', typ: 'JWT' }, claims(purpose), publicKey.export({ type: 'spki', format: 'pem' })),
  'another algorithm': (purpose) => {
    const head = `${part({ alg: 'RS256', typ: `${purpose}+jwt` })}.${part(claims(purpose))}`;
    return `${head}.${sign('sha256', Buffer.from(head), privateKey).toString('base64url')}`;
  },
  'an unknown critical header': (purpose) =>
    signed({ alg: 'HS256', typ: `${purpose}+jwt`, crit: ['x'], x: 1 }, claims(purpose), 'mine'),
  'a compressed JWE': () =>
    `${part({ alg: 'dir', enc: 'A256GCM', zip: 'DEF' })}..${'A'.repeat(16)}.${'A'.repeat(40)}.${'A'.repeat(22)}`,
  nonsense: () => 'x'.repeat(5000),
  'a lone dot': () => '...........................',
};

/** Tokens made with the server's own key, each with one fault. */
const almost: Record<string, (world: World, purpose: 'confirm' | 'reset') => Promise<string>> = {
  'of another purpose': async ({ house, ann }, purpose) =>
    (await house.house.keys.sign(purpose === 'reset' ? 'confirm' : 'reset', ann.id, 3600)).token,
  'that was never issued': async ({ house, ann }, purpose) =>
    (await house.house.keys.sign(purpose, ann.id, 3600)).token,
  'that ran out a second ago': async ({ house, ann }, purpose) =>
    (await house.house.keys.sign(purpose, ann.id, -1)).token,
  'of a device': async ({ house, ann }) => (await house.house.keys.sign('device', ann.id, 3600)).token,
  'cut short by a letter': async ({ house, ann }, purpose) =>
    (await house.house.keys.sign(purpose, ann.id, 3600)).token.slice(0, -1),
};

const sessionAttacks: Attack[] = [
  ...Object.entries(forged).map(([what, make]): Attack => ({
    id: 'A06',
    what: `as a bearer token: ${what}`,
    request: () => ({ path: '/api/principals/whoami', headers: { Authorization: `Bearer ${make('session')}` } }),
    expect: { status: 401, code: 'UNAUTH' },
  })),
  ...Object.entries<Forger>({ ...forged, 'a guess': () => newId(43) }).map(([what, make]): Attack => ({
    id: 'A06',
    what: `as a session: ${what}`,
    request: () => ({ path: '/api/tokens', headers: { Cookie: `colloquy=${make('session').slice(0, 4000)}` } }),
    expect: { status: 401, code: 'UNAUTH' },
  })),
  {
    id: 'A06',
    what: 'a bearer token beside a good session counts alone',
    as: 'ann',
    request: {
      path: '/api/principals/whoami',
      headers: { Authorization: 'Bearer colloquy_000000000000000000000000000' },
    },
    expect: { status: 401, code: 'UNAUTH' },
  },
  {
    id: 'A06',
    what: 'a token in another scheme is no token',
    request: ({ ann }) => ({ path: '/api/tokens', headers: { Authorization: `Basic ${ann.token}` } }),
    expect: { status: 401, code: 'UNAUTH' },
  },
  {
    id: 'A06',
    what: 'two bearer tokens',
    request: ({ ann }) => ({
      path: '/api/principals/whoami',
      headers: { Authorization: `Bearer ${ann.token}, Bearer ${ann.token}` },
    }),
    expect: { status: 401, code: 'UNAUTH' },
  },
  {
    id: 'A06',
    what: 'a session as a bearer token',
    request: ({ ann }) => ({
      path: '/api/principals/whoami',
      headers: { Authorization: `Bearer ${ann.cookies.get('colloquy')}` },
    }),
    expect: { status: 401, code: 'UNAUTH' },
  },
  {
    id: 'A06',
    what: 'a bearer token as a session',
    request: ({ ann }) => ({ path: '/api/tokens', headers: { Cookie: `colloquy=${ann.token}` } }),
    expect: { status: 401, code: 'UNAUTH' },
  },
  {
    id: 'A06',
    what: 'a token of a program where the person is needed',
    as: 'program',
    request: () => post('/api/tokens', { name: 'a second key' }),
    expect: { status: 403, code: 'NO_PERM' },
  },
  ...(['confirm', 'reset'] as const).flatMap((purpose) => [
    ...Object.entries(forged).map(([what, make]): Attack => ({
      id: 'A06',
      what: `as a ${purpose} link: ${what}`,
      request: () => useLink(purpose, make(purpose)),
      expect: { status: 410, code: 'GONE' },
    })),
    ...Object.entries(almost).map(([what, make]): Attack => ({
      id: 'A06',
      what: `a ${purpose} link ${what}`,
      request: async (world) => useLink(purpose, await make(world, purpose)),
      expect: { status: 410, code: 'GONE' },
    })),
  ]),
];

function useLink(purpose: 'confirm' | 'reset', token: string): Sent {
  const passwords = { password: 'another horse battery', passwordConfirm: 'another horse battery' };
  return post(`/api/${purpose}/${encodeURIComponent(token)}`, purpose === 'reset' ? passwords : undefined);
}

// ---- A05: a stolen cookie ----------------------------------------------------------------------

const stolen = (what: string, end: (world: World, victim: Person) => Promise<unknown>): Attack => ({
  id: 'A05',
  what: `a stolen cookie after ${what}`,
  request: async (world) => {
    const victim = await somebody(world);
    const cookie = cookiesOf(victim);
    await end(world, victim);
    return { path: '/api/tokens', headers: { Cookie: cookie } };
  },
  expect: { status: 401, code: 'UNAUTH' },
});

async function changedEmail(world: World, victim: Person): Promise<string> {
  const newEmail = newcomer().email;
  await victim.post('/api/principals/me/change-email/step1', { newEmail });
  const token = await world.house.tokenFor(newEmail, '/confirm-email-change');
  const done = await victim.post('/api/principals/me/change-email/step2', { token, password: victim.password });
  expect(done.status, done.text).toBe(204);
  return newEmail;
}

// ---- A20: invitations --------------------------------------------------------------------------

/** An invitation, and the secret its mail carries. */
export async function invite({ house, ann }: World, email: string): Promise<{ id: string; secret: string }> {
  const person = {
    id: ann.id,
    email: ann.email,
    emailKey: ann.email,
    firstName: 'Ann',
    lastName: 'Test',
    confirmed: true,
    hasPassword: true,
  };
  const ctx = {
    ...house.house,
    requestId: 'test-test',
    address: 'test',
    userAgent: '',
    language: 'en',
    person,
    proof: null,
  } satisfies Ctx;
  const { id } = await createInvitation(ctx as unknown as Signed, house.database.orm, { kind: 'account', email });
  house.house.wakeMail();
  const secret = await house.tokenFor(email, '/invitation');
  return { id, secret };
}

const deletion = { reason: 'tooSlow' };

export const accountAttacks: Attack[] = [
  ...Object.entries(wrongSignIns).map(([what, request]): Attack => ({
    id: 'A01',
    what: `signing in with ${what}`,
    request,
    expect: { status: 401, code: 'UNAUTH' },
  })),
  ...Object.entries(oddLogins).map(([what, json]): Attack => ({
    id: 'A02',
    what: `signing in with ${what}`,
    request: login(json),
    expect: { status: 422, code: 'INVALID' },
  })),
  {
    id: 'A02',
    what: 'signing in with a password of a megabyte',
    request: login({ email: 'a@example.test', password: 'x'.repeat(2 ** 20) }),
    expect: { status: 413, code: 'BIG' },
  },
  {
    id: 'A04',
    what: 'a session planted before signing in',
    request: async (world) => {
      const attacker = await somebody(world, 'Emil');
      const victim = await somebody(world);
      return {
        ...login({ email: victim.email, password: victim.password }),
        headers: { ...friendly(), Cookie: cookiesOf(attacker) },
      };
    },
    expect: { status: 200 },
    stateEqual: false,
    then: async (answer, { send }) => {
      const planted = (answer as Received & { sent?: Sent }).headers['set-cookie']?.join() ?? '';
      expect(planted).toMatch(/colloquy=[\w-]{43}/);
      const fresh = /colloquy=([\w-]{43})/.exec(planted)?.[1];
      const whoami = await send({ path: '/api/principals/whoami', headers: { Cookie: `colloquy=${fresh}` } });
      expect(whoami.text).toContain('"kind":"user"');
    },
  },
  stolen('logging out', (_, victim) => victim.post('/api/logout')),
  stolen('logging out everywhere else', async (world, victim) => {
    const elsewhere = world.house.stranger();
    Object.assign(elsewhere, { email: victim.email, address: newAddress() });
    await elsewhere.login();
    expect((await elsewhere.post('/api/logout/others')).status).toBe(204);
  }),
  stolen('a new password', async (world, victim) => {
    const done = await world.send(useLink('reset', await resetToken(world, victim)));
    expect(done.status).toBe(204);
  }),
  stolen('a new address', changedEmail),
  stolen('deleting the account', async (_, victim) => {
    const done = await victim.post('/api/principals/me/delete', { ...deletion, password: victim.password });
    expect(done.status, done.text).toBe(204);
  }),
  ...sessionAttacks,
  ...(['Y', '1', 'true', 'yes', 'n', ''] as const).map((remember): Attack => ({
    id: 'A07',
    what: `remember=${JSON.stringify(remember)} gives no long session`,
    request: async (world) => {
      const { email, password } = await somebody(world);
      return login({ email, password, remember });
    },
    expect: { status: 200 },
    stateEqual: false,
    then: async ({ headers }, { house }) => {
      const cookie = headers['set-cookie']?.find((line) => line.startsWith('colloquy=')) ?? '';
      expect(cookie).not.toContain('Max-Age');
      const hash = hashOf(/colloquy=([\w-]+)/.exec(cookie)?.[1] ?? '');
      const [row] = await house.database.orm.select().from(sessions).where(eq(sessions.hash, hash));
      expect(row?.remember).toBe(false);
    },
  })),
  {
    id: 'A07',
    what: 'remember as a list',
    request: async (world) =>
      login({ email: (await somebody(world)).email, password: 'correct horse battery', remember: [] }),
    expect: { status: 422, code: 'INVALID' },
  },
  {
    id: 'A09',
    what: 'registering with what only the server decides',
    request: () =>
      post(
        '/api/register',
        newcomer({
          role: 'owner',
          balance: '987654321',
          kind: 'admin',
          is_admin: true,
          email_verified: true,
          confirmed: true,
          id: 'chosen-by-me-0001',
          scope: 'house',
          trialMinutes: 987_654,
        }),
      ),
    expect: { status: 200 },
    stateEqual: false,
    then: async ({ text }, { house }) => {
      const { user, confirmationNeeded } = JSON.parse(text) as {
        user: { id: string; email: string };
        confirmationNeeded: boolean;
      };
      const [row] = await house.database.orm.select().from(users).where(eq(users.id, user.id));
      expect(user.id).not.toBe('chosen-by-me-0001');
      expect(row).toMatchObject({ confirmedAt: null });
      expect(await house.database.sql`select 1 from purses where user_id = ${user.id}`).toHaveLength(0);
      expect(confirmationNeeded).toBe(true);
      expect(house.log()).toContain('fields that nobody may set were ignored');
    },
  },
  ...Object.entries({
    'without the terms': { terms: undefined },
    'with other passwords': { passwordConfirm: 'another horse battery' },
    'with 7 characters': { password: 'aB3$x9q', passwordConfirm: 'aB3$x9q' },
    'with a common password': { password: 'password1', passwordConfirm: 'password1' },
    'with 129 characters': { password: 'x1'.repeat(65).slice(1), passwordConfirm: 'x1'.repeat(65).slice(1) },
    'with a name of 300 characters': { firstName: 'D'.repeat(300) },
    'with a name of spaces': { lastName: '   \u3000 ' },
    'with control characters in a name': { firstName: 'Da\u0007na' },
    'with a name that runs backwards': { firstName: 'Dana\u202Egnp.exe' },
    'with U+0000 in a name': { firstName: 'Da\0na' },
    'with two addresses': { email: 'a@example.test,b@example.test' },
    'with a line break in the address': { email: 'a@example.test\r\nBcc: b@example.test' },
    'with an address of 300 characters': { email: `${'a'.repeat(290)}@example.test` },
  }).map(([what, fields]): Attack => ({
    id: 'A10',
    what: `registering ${what}`,
    request: () => post('/api/register', newcomer(fields)),
    expect: { status: 422, code: 'INVALID' },
    then: ({ problem }) => expect(problem.info.errors.length).toBeGreaterThan(0),
  })),
  {
    id: 'A13',
    what: 'looking at a reset link uses nothing up',
    request: async (world) => {
      const victim = await somebody(world);
      const token = await resetToken(world, victim);
      for (const method of ['GET', 'HEAD']) await world.send({ method, path: `/api/reset/${token}` });
      return useLink('reset', token);
    },
    expect: { status: 204 },
    stateEqual: false,
  },
  {
    id: 'A13',
    what: 'a reset link used twice',
    request: async (world) => {
      const token = await resetToken(world, await somebody(world));
      expect((await world.send(useLink('reset', token))).status).toBe(204);
      return useLink('reset', token);
    },
    expect: { status: 410, code: 'GONE' },
  },
  {
    id: 'A13',
    what: 'a reset link after an hour',
    request: async (world) => {
      const token = await resetToken(world, await somebody(world));
      return useLink('reset', token);
    },
    later: 3601,
    expect: { status: 410, code: 'GONE' },
  },
  ...[
    { Host: 'evil.example' },
    { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' },
    { Forwarded: 'host=evil.example' },
  ].map((headers): Attack => ({
    id: 'A14',
    what: `a link by mail does not lead where ${Object.keys(headers)[0]} says`,
    request: async (world) => {
      const { email } = await somebody(world, 'Fay');
      return post('/api/reset', { email }, headers as Record<string, string>);
    },
    expect: { status: 204 },
    stateEqual: false,
    then: async (_, { house }) => {
      const mails = await house.database.sql<{ text: string; html: string }[]>`select text, html from mail_outbox`;
      expect(mails.some(({ text, html }) => (text + html).includes('evil.example'))).toBe(false);
    },
  })),
  {
    id: 'A15',
    what: 'a reset link mailed to an address the account has left',
    request: async (world) => {
      const victim = await somebody(world);
      const token = await resetToken(world, victim);
      await changedEmail(world, victim);
      return useLink('reset', token);
    },
    expect: { status: 410, code: 'GONE' },
  },
  {
    id: 'A17',
    what: 'the second step of a new address without a session',
    request: async (world) => {
      const victim = await somebody(world);
      const newEmail = newcomer().email;
      await victim.post('/api/principals/me/change-email/step1', { newEmail });
      const token = await world.house.tokenFor(newEmail, '/confirm-email-change');
      return post('/api/principals/me/change-email/step2', { token, password: victim.password });
    },
    expect: { status: 401, code: 'UNAUTH' },
  },
  {
    id: 'A17',
    what: 'the second step of a new address by another person',
    as: 'ann',
    request: async (world) => {
      const victim = await somebody(world);
      const newEmail = newcomer().email;
      await victim.post('/api/principals/me/change-email/step1', { newEmail });
      const token = await world.house.tokenFor(newEmail, '/confirm-email-change');
      return post('/api/principals/me/change-email/step2', { token, password: world.ann.password });
    },
    expect: { status: 410, code: 'GONE' },
  },
  ...[1, 6].map((tries): Attack => ({
    id: 'A17',
    what: `the second step of a new address with a wrong password, try ${tries}`,
    request: async (world) => {
      const victim = await somebody(world);
      const newEmail = newcomer().email;
      await victim.post('/api/principals/me/change-email/step1', { newEmail });
      const token = await world.house.tokenFor(newEmail, '/confirm-email-change');
      const step = post(
        '/api/principals/me/change-email/step2',
        { token, password: 'not this password' },
        { Cookie: cookiesOf(victim) },
      );
      for (let i = 1; i < tries; i += 1) await world.send(step);
      return step;
    },
    expect: tries === 1 ? { status: 422, code: 'INVALID' } : { status: 429, code: 'RATE' },
  })),
  ...Object.entries({
    'without a password': { ...deletion },
    'with a wrong password': { ...deletion, password: 'not this password' },
    'with a reason of one’s own': { reason: 'because I say so', password: 'correct horse battery' },
  }).map(([what, json]): Attack => ({
    id: 'A18',
    what: `deleting the account ${what}`,
    as: 'ann',
    request: post('/api/principals/me/delete', json),
    expect: { status: 422, code: 'INVALID' },
  })),
  {
    id: 'A18',
    what: 'deleting another person’s account by naming it',
    request: async (world) => {
      const attacker = await somebody(world, 'Emil');
      const json = {
        ...deletion,
        password: attacker.password,
        id: world.ann.id,
        user_id: world.ann.id,
        email: world.ann.email,
      };
      return post('/api/principals/me/delete', json, { Cookie: cookiesOf(attacker) });
    },
    expect: { status: 204 },
    stateEqual: false,
    then: async (_, { house, ann }) => {
      expect(await house.database.orm.select().from(users).where(eq(users.id, ann.id))).toHaveLength(1);
    },
  },
  {
    id: 'A18',
    what: 'deleting an account without a password long after signing in',
    request: async (world) => {
      const person = await somebody(world);
      await world.house.database.orm.update(users).set({ passwordHash: null }).where(eq(users.id, person.id));
      return post('/api/principals/me/delete', deletion, { Cookie: cookiesOf(person) });
    },
    later: 301,
    expect: { status: 403, code: 'NO_PERM' },
  },
  {
    id: 'A18',
    what: 'deleting an account with the token of a program',
    as: 'program',
    request: ({ ann }) => post('/api/principals/me/delete', { ...deletion, password: ann.password }),
    expect: { status: 403, code: 'NO_PERM' },
  },
  {
    id: 'A20',
    what: 'an invitation to another person shows a mask of the address',
    as: 'ann',
    request: async (world) => {
      const other = await somebody(world);
      return post(`/api/invitations/${(await invite(world, other.email)).secret}`);
    },
    expect: { status: 200 },
    then: ({ text }) => {
      expect(text).toContain('"result":"please-relogin"');
      expect(text).toContain('"email":"b…@e…"');
      expect(text).not.toContain('example.test');
    },
  },
  {
    id: 'A20',
    what: 'an invitation after two weeks',
    request: async (world) => {
      const other = await somebody(world);
      const { secret } = await invite(world, other.email);
      return post(`/api/invitations/${secret}`);
    },
    later: 14 * 86_400 + 1,
    expect: { status: 410, code: 'GONE' },
  },
  {
    id: 'A20',
    what: 'an invitation that was taken back',
    request: async (world) => {
      const other = await somebody(world);
      const { id, secret } = await invite(world, other.email);
      await world.house.database.orm
        .update(invitations)
        .set({ revokedAt: world.house.clock.now() })
        .where(eq(invitations.id, id));
      return post(`/api/invitations/${secret}`, undefined, { Cookie: cookiesOf(other) });
    },
    expect: { status: 410, code: 'GONE' },
  },
  {
    id: 'A20',
    what: 'an invitation by its id instead of its secret, by a person it is not for',
    as: 'ann',
    request: async (world) => {
      const other = await somebody(world);
      return post(`/api/invitations/${(await invite(world, other.email)).id}`);
    },
    expect: { status: 410, code: 'GONE' },
  },
];
