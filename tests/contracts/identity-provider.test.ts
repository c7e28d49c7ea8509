// The real identity provider (OpenID Connect) reports who signed in, and is refused when its answers are invalid.
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

test('gets no request before a person signs in', () => {
  house();
  expect(provider.mood.asked).toBe(0);
});

test('reports who signed in, and nothing more', async () => {
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

test('reports the time of the sign-in when a fresh one is required', async () => {
  const identity = house();
  const to = await identity.authorizationUrl({ ...flow, fresh: true });
  const back = await provider.browser().go(to.href, 'ann');
  const { authenticatedAt } = await identity.identify(back, flow);
  expect(Math.abs(Date.now() - (authenticatedAt?.getTime() ?? 0))).toBeLessThan(60_000);
});

describe('invalid answers are refused as UPSTREAM', () => {
  test.each<[string, Partial<typeof flow>]>([
    ['another state', { state: 'x'.repeat(43) }],
    ['another nonce', { nonce: 'x'.repeat(43) }],
    ['another verifier', { verifier: 'x'.repeat(43) }],
    ['another redirect address', { redirectUri: 'http://127.0.0.1:4001/api/login/oidc/callback' }],
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

describe('a provider that is unreachable', () => {
  test('is tried again at the next sign-in', async () => {
    const identity = house();
    provider.mood.answers = 'busy';
    await expect(begin(identity)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    provider.mood.answers = 'well';
    expect((await begin(identity)).origin).toBe(provider.issuer);
  });

  test('gets no requests for a while', async () => {
    const identity = house(60_000);
    provider.mood.answers = 'busy';
    await expect(begin(identity)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfter: 60 });
    provider.mood.answers = 'well';
    const asked = provider.mood.asked;
    await expect(begin(identity)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(provider.mood.asked).toBe(asked);
  });

  test('times out when it never answers', async () => {
    const identity = house();
    provider.mood.answers = 'never';
    await expect(begin(identity)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('times out when it stops answering on the way back', async () => {
    const identity = house();
    const back = await provider.browser().go((await begin(identity)).href, 'ann');
    provider.mood.answers = 'never';
    await expect(identity.identify(back, flow)).rejects.toMatchObject({ code: 'UPSTREAM' });
  });

  test('an issuer other than the configured one is refused', async () => {
    const { OIDC_CLIENT_ID: clientId, OIDC_NAME: name } = provider.env;
    const issuer = provider.issuer.replace('127.0.0.1', 'localhost');
    const identity = createIdentityProvider({ issuer, clientId, clientSecret: 'x', id: 'oidc', name }, 0);
    await expect(begin(identity)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
