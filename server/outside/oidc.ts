import {
  ClientSecretBasic,
  ClientSecretPost,
  None,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type ClientAuth,
  type Configuration,
} from 'openid-client';
import { Problem } from '#shared/problems.ts';
import type { Config } from '../config.ts';
import type { IdentityProvider, ProvidedIdentity } from './identity.ts';

/** Seconds for each answer of the provider. */
const patience = 3;

/**
 * Any OpenID Connect provider. It is discovered at the first sign-in, so that the server starts without it. While it is
 * unreachable, it is asked only once in `restMs`.
 */
export function createIdentityProvider(config: NonNullable<Config['identity']>, restMs = 30_000): IdentityProvider {
  const issuer = new URL(config.issuer);
  // The configuration allows http on loopback only.
  const plain = issuer.protocol === 'http:';
  let known: Promise<Configuration> | null = null;
  let restUntil = 0;

  const provider = (): Promise<Configuration> => {
    if (performance.now() < restUntil) throw new Problem('UNAVAILABLE', { retryAfter: Math.ceil(restMs / 1000) });
    known ??= discovery(issuer, config.clientId, undefined, authentication(config.clientSecret), {
      timeout: patience,
      // The signature of the id token is checked too, not only the connection it came by.
      execute: [enableNonRepudiationChecks, ...(plain ? [allowInsecureRequests] : [])],
    }).catch((cause: unknown) => {
      known = null;
      restUntil = performance.now() + restMs;
      throw new Problem('UNAVAILABLE', { retryAfter: Math.ceil(restMs / 1000), cause });
    });
    return known;
  };

  return {
    id: config.id,
    name: config.name,
    issuer: config.issuer,
    async authorizationUrl({ state, nonce, verifier, redirectUri, fresh }) {
      return buildAuthorizationUrl(await provider(), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        // With max_age the provider has to report the time of the authentication.
        ...(fresh ? { prompt: 'login', max_age: '0' } : {}),
      });
    },
    async identify(callback, { state, nonce, verifier, redirectUri }) {
      const configuration = await provider();
      const answered = new URL(redirectUri);
      answered.search = callback.search;
      try {
        const tokens = await authorizationCodeGrant(configuration, answered, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new Error('no id token');
        // Some providers leave the profile out of the id token. All claims are taken from one source: an address and
        // its verification must never come from two.
        const elsewhere =
          claims['email'] === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined;
        const profile = elsewhere ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : claims;
        return identityOf(claims.iss, claims.sub, claims.auth_time, profile);
      } catch (cause) {
        throw new Problem('UPSTREAM', { cause });
      }
    },
  };
}

/** HTTP Basic is the standard's default; the body is used only when the provider supports nothing else. */
function authentication(secret: string | null): ClientAuth {
  if (secret === null) return None();
  const basic = ClientSecretBasic(secret);
  const post = ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const takes = server.token_endpoint_auth_methods_supported;
    const way = takes && !takes.includes('client_secret_basic') && takes.includes('client_secret_post') ? post : basic;
    return way(server, client, body, headers);
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 1000) : '');

function identityOf(
  issuer: string,
  subject: string,
  provedAt: unknown,
  profile: Readonly<Record<string, unknown>>,
): ProvidedIdentity {
  const [first = '', ...rest] = text(profile['name']).trim().split(/\s+/u);
  return {
    issuer,
    subject,
    email: text(profile['email']) || null,
    // Only the boolean counts: the claim may be present and false, or the string "true".
    emailVerified: profile['email_verified'] === true,
    firstName: text(profile['given_name']) || first,
    lastName: text(profile['family_name']) || rest.join(' '),
    authenticatedAt: typeof provedAt === 'number' ? new Date(provedAt * 1000) : null,
  };
}
