import type { IdentityProvider, ProvidedIdentity } from '#server/outside/identity.ts';

/** Scripted identity provider, for tests in which the real one (oidc.ts) adds nothing. */
export function scriptedIdentity(who: Partial<ProvidedIdentity> = {}): IdentityProvider {
  const issuer = 'https://id.example';
  return {
    id: 'oidc',
    name: 'Scripted provider',
    issuer,
    authorizationUrl: ({ state }) => Promise.resolve(new URL(`${issuer}/?state=${state}`)),
    identify: () =>
      Promise.resolve({
        issuer,
        subject: 'ann',
        email: 'ann@id.example',
        emailVerified: true,
        firstName: 'Ann',
        lastName: 'Test',
        authenticatedAt: null,
        ...who,
      }),
  };
}
