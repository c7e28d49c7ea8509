// The real identity provider (OpenID Connect) says who came, and is refused when what it says does not hold.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { IdentityProvider } from '#server/outside/identity.ts';
import { createIdentityProvider } from '#server/outside/oidc.ts';
import { openProvider, type TestProvider } from '#tests/support/oidc.ts';

const redirectUri = 'http://127.0.0.1:4000/api/login/oidc/callback';
const flow = { state: 's'.repeat(43), nonce: 'n'.repeat(43), verifier: 'v'.repeat(43), redirectUri };

let provider: TestProvider;
beforeEach(async () => {
  provider = await openProvider();
  provider.people.set('ann', { email: 'ann@example.test', email_verified: true, name: 'Ann Test' });
});
afterEach(() => provider.close());

function house(restMs = 0): IdentityProvider {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET = null, OIDC_NAME } = provider.env;
  return createIdentityProvider(
    { issuer: OIDC_ISSUER, clientId: OIDC_CLIENT_ID, clientSecret: OIDC_CLIENT_SECRET, id: 'oidc', name: OIDC_NAME },
    restMs,
  );
}

const begin = (identity: IdentityProvider) => identity.authorizationUrl({ ...flow, fresh: false });

test('is not asked anything before somebody signs in', () => {
  house();
  expect(provider.mood.asked).toBe(0);
});

test('says who came, and nothing more than that', async () => {
  const identity = house();
  const back = await provider.browser().go((await begin(identity)).href, 'ann');
  expect(await identity.identify(back, flow)).toEqual({
    issuer: provider.issuer,
    subject: 'ann',
    email: 'ann@example.test',
    emailVerified: true,
    firstName: 'Ann',
    lastName: 'Test',
    authenticatedAt: null,
  });
});

test('asked anew, says when the person proved themself', async () => {
  const identity = house();
  const to = await identity.authorizationUrl({ ...flow, fresh: true });
  const back = await provider.browser().go(to.href, 'ann');
  const { authenticatedAt } = await identity.identify(back, flow);
  expect(Math.abs(Date.now() - (authenticatedAt?.getTime() ?? 0))).toBeLessThan(60_000);
});

describe('what does not hold is refused as UPSTREAM', () => {
  test.each<[string, Partial<typeof flow>]>([
    ['another state', { state: 'x'.repeat(43) }],
    ['another nonce', { nonce: 'x'.repeat(43) }],
    ['another verifier', { verifier: 'x'.repeat(43) }],
    ['another way back', { redirectUri: 'http://127.0.0.1:4001/api/login/oidc/callback' }],
  ])('%s', async (_, changed) => {
    const identity = house();
    const back = await provider.browser().go((await begin(identity)).href, 'ann');
    await expect(identity.identify(back, { ...flow, ...changed })).rejects.toMatchObject({ code: 'UPSTREAM' });
  });

  test('a code used twice', async () => {
    const identity = house();
    const back = await provider.browser().go((await begin(identity)).href, 'ann');
    await identity.identify(back, flow);
    await expect(identity.identify(back, flow)).rejects.toMatchObject({ code: 'UPSTREAM' });
  });
});

describe('a provider that is away', () => {
  test('is asked again at the next sign-in', async () => {
    const identity = house();
    provider.mood.answers = 'busy';
    await expect(begin(identity)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    provider.mood.answers = 'well';
    expect((await begin(identity)).origin).toBe(provider.issuer);
  });

  test('is left alone for a while', async () => {
    const identity = house(60_000);
    provider.mood.answers = 'busy';
    await expect(begin(identity)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 60 });
    provider.mood.answers = 'well';
    const asked = provider.mood.asked;
    await expect(begin(identity)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(provider.mood.asked).toBe(asked);
  });

  test('is not waited for when it never answers', async () => {
    const identity = house();
    provider.mood.answers = 'never';
    await expect(begin(identity)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('nor when it stops answering on the way back', async () => {
    const identity = house();
    const back = await provider.browser().go((await begin(identity)).href, 'ann');
    provider.mood.answers = 'never';
    await expect(identity.identify(back, flow)).rejects.toMatchObject({ code: 'UPSTREAM' });
  });

  test('another issuer than the one configured is not believed', async () => {
    const { OIDC_CLIENT_ID: clientId, OIDC_NAME: name } = provider.env;
    const issuer = provider.issuer.replace('127.0.0.1', 'localhost');
    const identity = createIdentityProvider({ issuer, clientId, clientSecret: 'x', id: 'oidc', name }, 0);
    await expect(begin(identity)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
