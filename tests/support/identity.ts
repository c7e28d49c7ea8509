import type { IdentityProvider, ProvidedIdentity } from '#server/outside/identity.ts';

/** A provider that says what it is told to, where the real one (oidc.ts) has nothing to add. */
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
