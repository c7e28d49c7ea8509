// Signing in at an identity provider: which account it opens, and what of the provider's word counts
// (server/accounts/).
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accountDeletions, identities, identityFlows, sessions, users } from '#db/schema/accounts.ts';
import type { ProvidedIdentity } from '#server/outside/identity.ts';
import { newId } from '#shared/ids.ts';
import { openHouse, type TestHouse } from '#tests/support/house.ts';
import { scriptedIdentity } from '#tests/support/identity.ts';
import { calledOff, openProvider, type Claims, type TestProvider } from '#tests/support/oidc.ts';

const start = '/api/login/oidc';
const hash = (value: string) => createHash('sha256').update(value).digest();

let provider: TestProvider;
let house: TestHouse;
beforeAll(async () => {
  provider = await openProvider();
  house = await openHouse({ env: provider.env });
});
afterAll(async () => {
  await house?.close();
  await provider?.close();
});

/** A person the provider knows; their address is theirs unless the claims say otherwise. */
function somebody(claims: Claims = {}): { sub: string; email: string } {
  const sub = newId(12);
  const email = `${sub.toLowerCase()}@example.test`;
  provider.people.set(sub, { email, email_verified: true, given_name: 'Ann', family_name: 'Test', ...claims });
  return { sub, email };
}

const accountsOf = (email: string) =>
  house.database.orm
    .select()
    .from(users)
    .where(eq(users.emailKey, house.key(email)));

describe('signing in at the provider', () => {
  test('the first time makes a confirmed account without a password, with the trial', async () => {
    const { sub, email } = somebody();
    const ann = house.stranger();
    const done = await provider.signIn(ann, sub, {
      path: `${start}?next_url=${encodeURIComponent('/meeting/5?at=3#top')}`,
    });
    expect(done.status).toBe(302);
    expect(done.headers.get('location')).toBe('/meeting/5?at=3#top');

    const { principal, billing } = (await ann.whoami()).body;
    expect(principal).toMatchObject({
      kind: 'user',
      email,
      first_name: 'Ann',
      last_name: 'Test',
      confirmed: true,
      hasPassword: false,
    });
    expect(billing.freeMinutes).toBe(90);
    expect(await house.mails(email)).toEqual([]);
  });

  test('the second time opens the same account, in a new session; the browser’s old one is over', async () => {
    const { sub, email } = somebody();
    const ann = house.stranger();
    await provider.signIn(ann, sub);
    const first = { id: (await ann.whoami()).body.principal.id, cookie: ann.cookies.get('colloquy') };
    // The address plays no part any more: the provider knows the person by their subject.
    provider.people.set(sub, { email: 'somebody-else@example.test', email_verified: false });
    await provider.signIn(ann, sub);
    expect((await ann.whoami()).body.principal).toMatchObject({ id: first.id, email });
    expect(ann.cookies.get('colloquy')).not.toBe(first.cookie);

    const stolen = house.stranger();
    stolen.cookies.set('colloquy', first.cookie ?? '');
    expect((await stolen.whoami()).body.principal.kind).toBe('anonymous');
  });

  test('two tabs at once make one account', async () => {
    const { sub, email } = somebody();
    const ann = house.stranger();
    await ann.get(start);
    const tabs = await Promise.all([1, 2, 3, 4].map(() => provider.signIn(ann, sub)));
    expect(tabs.map((tab) => tab.headers.get('location'))).toEqual(['/', '/', '/', '/']);
    expect(await accountsOf(email)).toHaveLength(1);
  });

  test('an address that was deleted gets no second trial', async () => {
    const { sub, email } = somebody();
    const { orm } = house.database;
    const emailHash = house.house.keys.mac('deleted-address', house.key(email));
    await orm.insert(accountDeletions).values({ id: newId(), emailHash, reason: 'rarelyUsed', at: house.clock.now() });
    const ann = house.stranger();
    await provider.signIn(ann, sub);
    expect((await ann.whoami()).body.billing.freeMinutes).toBe(0);
  });

  test.each<[string, Claims, { first_name: string; last_name: string }]>([
    ['a name in one piece', { name: 'Ben van Test' }, { first_name: 'Ben', last_name: 'van Test' }],
    ['no name at all', {}, { first_name: 'LOCAL', last_name: '' }],
    [
      'a name that turns the text around',
      { given_name: 'Ann\u202egpj', family_name: 'Test' },
      { first_name: 'LOCAL', last_name: 'Test' },
    ],
    ['a name too long', { given_name: 'x'.repeat(200), family_name: ' \n ' }, { first_name: 'LOCAL', last_name: '' }],
    ['markup', { given_name: '<b>Ann</b>' }, { first_name: '<b>Ann</b>', last_name: '' }],
  ])('%s', async (_, claims, names) => {
    const sub = newId(12);
    const local = sub.toLowerCase();
    provider.people.set(sub, { email: `${local}@example.test`, email_verified: true, ...claims });
    const ann = house.stranger();
    await provider.signIn(ann, sub);
    const expected = { ...names, first_name: names.first_name.replace('LOCAL', local) };
    expect((await ann.whoami()).body.principal).toMatchObject(expected);
  });

  test.each(['client_secret_basic', 'client_secret_post', 'none'] as const)(
    'a provider that takes %s',
    async (method) => {
      const other = await openProvider({ method, inIdToken: true });
      const guests = await openHouse({ env: other.env });
      other.people.set('ann', { email: 'ann@example.test', email_verified: true, name: 'Ann Test' });
      const ann = guests.stranger();
      const done = await other.signIn(ann, 'ann');
      expect(done.headers.get('location')).toBe('/');
      expect((await ann.whoami()).body.principal.email).toBe('ann@example.test');
      await guests.close();
      await other.close();
    },
  );
});

describe('the start of a sign-in', () => {
  test('is PKCE with S256, a state and a nonce, back to this very host; of the state only a hash stays here', async () => {
    const away = await house.stranger().get(start);
    expect(away.status).toBe(302);
    const to = new URL(away.headers.get('location') ?? '');
    const asked = Object.fromEntries(to.searchParams);
    expect(asked).toMatchObject({
      response_type: 'code',
      client_id: 'colloquy',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      redirect_uri: `${house.origin}/api/login/oidc/callback`,
    });
    expect(asked['state']).toMatch(/^[\w-]{43}$/);
    expect(asked['code_challenge']).toMatch(/^[\w-]{43}$/);
    const [flow] = await house.database.orm
      .select()
      .from(identityFlows)
      .where(eq(identityFlows.stateHash, hash(asked['state'] ?? '')));
    expect(flow).toMatchObject({ nonce: asked['nonce'], nextPath: '/', userId: null });
    expect(
      createHash('sha256')
        .update(flow?.verifier ?? '')
        .digest('base64url'),
    ).toBe(asked['code_challenge']);
    const cookie = away.headers.getSetCookie().find((line) => line.startsWith('identity='));
    expect(cookie).toMatch(/; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  test.each([
    ['//evil.example', '/'],
    ['https://evil.example/x', '/'],
    ['/\\evil.example', '/'],
    ['/.//evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/%0d%0aSet-Cookie:x=1', '/%0d%0aSet-Cookie:x=1'],
    ['', '/'],
    ['/upload?invite=1', '/upload?invite=1'],
  ])('next_url=%s leads to %s', async (next, lands) => {
    const { sub } = somebody();
    const done = await provider.signIn(house.stranger(), sub, {
      path: `${start}?next_url=${encodeURIComponent(next)}`,
    });
    expect(done.headers.get('location')).toBe(lands);
  });

  test.each([{ Host: 'evil.example' }, { Host: 'evil.example:80', 'X-Forwarded-Host': 'evil.example' }])(
    'a host that is not ours (%j) changes nothing of where the provider sends people',
    async (headers) => {
      const location = await new Promise<string>((resolve, reject) => {
        const asked = get(`${house.origin}${start}`, { headers }, (answer) => {
          answer.resume();
          resolve(answer.headers.location ?? `status ${answer.statusCode}`);
        });
        asked.on('error', reject);
      });
      const redirectUri = new URL(location).searchParams.get('redirect_uri');
      expect(redirectUri).toBe(`http://localhost:${house.port}/api/login/oidc/callback`);
    },
  );

  test.each([
    ['an unknown provider', '/api/login/other', 404, 'NOT_FOUND'],
    ['its way back', '/api/login/other/callback?code=x&state=y', 404, 'NOT_FOUND'],
    ['a name of the prototype', '/api/login/constructor', 404, 'NOT_FOUND'],
  ])('%s', async (_, path, status, code) => {
    const answer = await house.stranger().get(path);
    expect([answer.status, answer.problem.code]).toEqual([status, code]);
  });

  test('without a provider there is none: no button, no route', async () => {
    const plain = await openHouse();
    const options = await plain.stranger().get('/api/sign-in-options');
    expect(options.body).toMatchObject({ identity: null });
    expect((await plain.stranger().get(start)).status).toBe(404);
    expect((await plain.stranger().get(`${start}/callback?code=x&state=y`)).status).toBe(404);
    await plain.close();
  });

  test('with one, the screens learn its name', async () => {
    const options = await house.stranger().get('/api/sign-in-options');
    expect(options.status).toBe(200);
    expect(options.body.identity).toEqual({ id: 'oidc', name: 'Test provider' });
  });

  test('beginning without end is limited', async () => {
    const busy = await openHouse({ env: provider.env });
    const ann = busy.stranger();
    const statuses = new Set<number>();
    for (let i = 0; i < 30; i += 1) {
      for (const { status } of await Promise.all(Array.from({ length: 10 }, () => ann.get(start))))
        statuses.add(status);
    }
    expect([...statuses]).toEqual([302]);
    const refused = await ann.get(start);
    expect([refused.status, refused.problem.code]).toEqual([429, 'RATE']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await busy.close();
  });
});

describe('the callback', () => {
  test('works only in the browser it began in, and once', async () => {
    const { sub } = somebody();
    const ann = house.stranger();
    const away = await ann.get(start);
    const back = await provider.browser().go(away.headers.get('location') ?? '', sub);
    const path = back.pathname + back.search;

    const elsewhere = house.stranger();
    const stolen = await elsewhere.get(path);
    expect([stolen.status, stolen.problem.code]).toEqual([403, 'CSRF']);
    // A browser that began a sign-in of its own is refused with another one's state, too.
    await elsewhere.get(start);
    expect((await elsewhere.get(path)).status).toBe(403);
    expect(elsewhere.cookies.has('colloquy')).toBe(false);

    expect((await ann.get(path)).headers.get('location')).toBe('/');
    const again = await ann.get(path);
    expect([again.status, again.problem.code]).toEqual([403, 'CSRF']);
  });

  test.each(['', '?code=x', '?state=', '?state=guess&code=x', '?error=access_denied&state=guess', '?state[]=x&code=x'])(
    'callback%s is refused',
    async (query) => {
      const ann = house.stranger();
      await ann.get(start);
      const answer = await ann.get(`${start}/callback${query}`);
      expect([answer.status, answer.problem.code]).toEqual([403, 'CSRF']);
    },
  );

  test('cancelled at the provider: our own code, none of its words', async () => {
    const done = await provider.signIn(house.stranger(), calledOff, { path: `${start}?next_url=/profile` });
    expect(done.headers.get('location')).toBe('/login?error=refused&redirectTo=%2Fprofile');
  });

  test('any other error of the provider', async () => {
    const ann = house.stranger();
    const away = await ann.get(start);
    const state = new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? '';
    const error = encodeURIComponent('<script>alert(1)</script>');
    const done = await ann.get(`${start}/callback?state=${state}&error=${error}&error_description=${error}`);
    expect(done.headers.get('location')).toBe('/login?error=failed');
  });

  test('after more than ten minutes', async () => {
    const { sub, email } = somebody();
    const late = await openHouse({ env: provider.env });
    const ann = late.stranger();
    const away = await ann.get(start);
    const back = await provider.browser().go(away.headers.get('location') ?? '', sub);
    late.clock.forward(601);
    const done = await ann.get(back.pathname + back.search);
    expect(done.headers.get('location')).toBe('/login?error=expired');
    expect(
      await late.database.orm
        .select()
        .from(users)
        .where(eq(users.emailKey, late.key(email))),
    ).toEqual([]);
    await late.close();
  });

  test.each(['nonce', 'verifier'] as const)('with a %s that is not the one sent', async (what) => {
    const { sub, email } = somebody();
    const ann = house.stranger();
    const away = await ann.get(start);
    const back = await provider.browser().go(away.headers.get('location') ?? '', sub);
    const state = back.searchParams.get('state') ?? '';
    const another = createHash('sha256').update(newId()).digest('base64url');
    await house.database.orm
      .update(identityFlows)
      .set({ [what]: another })
      .where(eq(identityFlows.stateHash, hash(state)));
    const done = await ann.get(back.pathname + back.search);
    expect(done.headers.get('location')).toBe('/login?error=failed');
    expect(await accountsOf(email)).toEqual([]);
  });

  test('with the code of another sign-in', async () => {
    const mine = somebody();
    const theirs = somebody();
    const [ann, ben] = [house.stranger(), house.stranger()];
    const [toAnn, toBen] = [await ann.get(start), await ben.get(start)];
    const backAnn = await provider.browser().go(toAnn.headers.get('location') ?? '', mine.sub);
    const backBen = await provider.browser().go(toBen.headers.get('location') ?? '', theirs.sub);
    backAnn.searchParams.set('code', backBen.searchParams.get('code') ?? '');
    const done = await ann.get(backAnn.pathname + backAnn.search);
    expect(done.headers.get('location')).toBe('/login?error=failed');
    expect(ann.cookies.has('colloquy')).toBe(false);
  });

  test('from another issuer', async () => {
    const { sub } = somebody();
    const ann = house.stranger();
    const away = await ann.get(start);
    const back = await provider.browser().go(away.headers.get('location') ?? '', sub);
    back.searchParams.set('iss', 'https://evil.example');
    const done = await ann.get(back.pathname + back.search);
    expect(done.headers.get('location')).toBe('/login?error=failed');
  });
});

describe('an address the provider does not vouch for makes no account', () => {
  test.each<[string, Claims]>([
    ['not verified', { email_verified: false }],
    ['not said', { email_verified: undefined }],
    ['the word true', { email_verified: 'true' }],
    ['the word false', { email_verified: 'false' }],
    ['one', { email_verified: 1 }],
    ['null', { email_verified: null }],
    ['a list', { email_verified: [true] }],
    ['no address', { email: undefined }],
    ['not an address', { email: 'ann at example.test' }],
    ['two addresses', { email: 'a@example.test,b@example.test' }],
    ['an address with a line end', { email: 'a@example.test\r\nBcc: b@example.test' }],
  ])('%s', async (_, claims) => {
    const { sub } = somebody(claims);
    const ann = house.stranger();
    const done = await provider.signIn(ann, sub);
    expect(done.headers.get('location')).toBe('/login?error=unverified');
    expect(ann.cookies.has('colloquy')).toBe(false);
    expect(await house.database.orm.select().from(identities).where(eq(identities.subject, sub))).toEqual([]);
  });
});

describe('a provider that does not answer', () => {
  test('does not stop the server, and is reported in our words', async () => {
    const shy = await openProvider();
    await shy.close();
    const waiting = await openHouse({ env: shy.env });
    const ann = waiting.stranger();
    expect((await ann.get('/readyz')).status).toBe(200);
    const away = await ann.get(`${start}?next_url=/profile`);
    expect(away.headers.get('location')).toBe('/login?error=unavailable&redirectTo=%2Fprofile');
    expect((await ann.get('/api/sign-in-options')).body.identity).not.toBeNull();
    expect(await waiting.database.orm.select().from(identityFlows)).toEqual([]);
    await waiting.close();
  });

  test('between there and back', async () => {
    const leaving = await openProvider();
    const waiting = await openHouse({ env: leaving.env });
    leaving.people.set('ann', { email: 'ann@example.test', email_verified: true });
    const ann = waiting.stranger();
    const away = await ann.get(start);
    const back = await leaving.browser().go(away.headers.get('location') ?? '', 'ann');
    await leaving.close();
    expect((await ann.get(back.pathname + back.search)).headers.get('location')).toBe('/login?error=failed');
    await waiting.close();
  });
});

describe('proving one’s identity again', () => {
  const again = `${start}?again=1&next_url=${encodeURIComponent('/profile?delete=1')}`;

  /** Signed in by the provider, long enough ago that it proves nothing any more. */
  async function settled() {
    const { sub, email } = somebody();
    const ann = house.stranger();
    const browser = provider.browser();
    await provider.signIn(ann, sub, { browser });
    const longAgo = new Date(house.clock.now().getTime() - 3_600_000);
    const [account] = await accountsOf(email);
    await house.database.orm
      .update(sessions)
      .set({ provedAt: longAgo })
      .where(eq(sessions.userId, account?.id ?? ''));
    const age = async () => {
      const [session] = await house.database.orm
        .select()
        .from(sessions)
        .where(eq(sessions.userId, account?.id ?? ''));
      return (house.clock.now().getTime() - (session?.provedAt.getTime() ?? 0)) / 1000;
    };
    return { ann, sub, browser, age };
  }

  test('the provider asks again although it knows the browser, and the session is as good as with a password', async () => {
    const { ann, sub, browser, age } = await settled();
    expect((await ann.post('/api/principals/me/delete', { reason: 'rarelyUsed' })).status).toBe(403);
    const away = await ann.get(again);
    const asked = new URL(away.headers.get('location') ?? '').searchParams;
    expect([asked.get('prompt'), asked.get('max_age')]).toEqual(['login', '0']);
    const cookie = ann.cookies.get('colloquy');
    const done = await provider.signIn(ann, sub, { path: again, browser });
    expect(done.headers.get('location')).toBe('/profile?delete=1');
    expect(ann.cookies.get('colloquy')).toBe(cookie);
    expect(await age()).toBeLessThan(60);
    expect((await ann.post('/api/principals/me/delete', { reason: 'rarelyUsed' })).status).toBe(204);
  });

  test('as another person, with or without an account', async () => {
    const { ann, age } = await settled();
    const other = await settled();
    const done = await provider.signIn(ann, other.sub, { path: again });
    expect(done.headers.get('location')).toBe('/profile?delete=1&error=other-person');
    const nobody = somebody();
    await provider.signIn(ann, nobody.sub, { path: again });
    expect(await accountsOf(nobody.email)).toEqual([]);
    expect(await age()).toBeGreaterThan(3000);
  });

  test('in a browser that is signed out, or whose session has ended meanwhile', async () => {
    const nobody = await house.stranger().get(again);
    expect(nobody.headers.get('location')).toBe('/login?error=expired&redirectTo=%2Fprofile%3Fdelete%3D1');

    const { ann, sub } = await settled();
    const away = await ann.get(again);
    const back = await provider.browser().go(away.headers.get('location') ?? '', sub);
    ann.cookies.delete('colloquy');
    const done = await ann.get(back.pathname + back.search);
    expect(done.headers.get('location')).toBe('/profile?delete=1&error=expired');
  });

  test('cancelled at the provider', async () => {
    const { ann, age } = await settled();
    const done = await provider.signIn(ann, calledOff, { path: again });
    expect(done.headers.get('location')).toBe('/profile?delete=1&error=refused');
    expect(await age()).toBeGreaterThan(3000);
  });

  test('a flow for proving is not one for signing in: another browser’s session is not touched', async () => {
    const { ann, sub, age } = await settled();
    const away = await ann.get(again);
    const back = await provider.browser().go(away.headers.get('location') ?? '', sub);
    const ben = await house.person('Ben');
    for (const [name, value] of ann.cookies) if (name === 'identity') ben.cookies.set(name, value);
    const done = await ben.get(back.pathname + back.search);
    expect(done.headers.get('location')).toBe('/profile?delete=1&error=expired');
    expect(await age()).toBeGreaterThan(3000);
  });

  describe('the provider’s time', () => {
    test.each<[string, number | null, string]>([
      ['now', 0, '/'],
      ['under five minutes ago', -240, '/'],
      ['over five minutes ago', -310, '/?error=not-fresh'],
      ['not said', null, '/?error=not-fresh'],
      ['in the future', 3600, '/?error=not-fresh'],
    ])('%s', async (_, seconds, lands) => {
      const who: Partial<ProvidedIdentity> = {};
      const small = await openHouse({ house: { identity: scriptedIdentity(who) } });
      const ann = small.stranger();
      const through = async (path: string) => {
        const away = new URL((await ann.get(path)).headers.get('location') ?? '');
        return ann.get(`${start}/callback?code=x&state=${away.searchParams.get('state') ?? ''}`);
      };
      await through(start);
      // A confirmation without a time proves nothing.
      expect((await ann.post('/api/principals/me/delete', { reason: 'rarelyUsed' })).status).toBe(403);
      who.authenticatedAt = seconds === null ? null : new Date(small.clock.now().getTime() + seconds * 1000);
      expect((await through(`${start}?again=1`)).headers.get('location')).toBe(lands);
      await small.close();
    });
  });
});

test('nothing secret of it reaches the log, or the database in the clear', async () => {
  const { sub } = somebody();
  const ann = house.stranger();
  const away = await ann.get(`${start}?next_url=/canary-next`);
  const to = new URL(away.headers.get('location') ?? '');
  const state = to.searchParams.get('state') ?? '';
  const [flow] = await house.database.orm
    .select()
    .from(identityFlows)
    .where(eq(identityFlows.stateHash, hash(state)));
  const back = await provider.browser().go(to.href, sub);
  await ann.get(back.pathname + back.search);
  // One that fails as well: failures are what is logged most.
  const failing = house.stranger();
  const failed = await provider.browser().go((await failing.get(start)).headers.get('location') ?? '', sub);
  failed.searchParams.set('code', 'canary-code');
  await failing.get(failed.pathname + failed.search);

  const log = house.log();
  const secrets = [
    state,
    flow?.nonce,
    flow?.verifier,
    back.searchParams.get('code'),
    'canary-code',
    'canary-next',
    failed.searchParams.get('state'),
    ann.cookies.get('colloquy'),
    ann.cookies.get('identity'),
    ann.cookies.get('device'),
    ...provider.secrets,
  ];
  for (const secret of secrets) {
    expect(secret).toBeTruthy();
    expect(log.includes(secret ?? '')).toBe(false);
  }
  // The canary can sing: what is meant to be in the log is found there.
  expect(log).toContain('/api/login/:provider/callback');
  expect(log).toContain('the identity provider could not be used');
  expect(
    await house.database.orm
      .select()
      .from(identityFlows)
      .where(eq(identityFlows.stateHash, hash(state))),
  ).toEqual([]);
});
