import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration } from 'oidc-provider';
import type { Answer, Person } from './people.ts';

/** Claims of the provider about a person, besides their id. */
export interface Claims {
  email?: string | undefined;
  /** Sent as given, because some providers send strings. */
  email_verified?: unknown;
  name?: string;
  given_name?: string;
  family_name?: string;
}

interface ProviderOptions {
  /** Puts the profile into the id token instead of the userinfo answer. */
  inIdToken?: boolean;
  /** The only authentication method that the provider accepts from our house. */
  method?: 'client_secret_basic' | 'client_secret_post' | 'none';
}

const clientId = 'colloquy';
const clientSecret = 'a secret & such: not for logs%';

/** A real identity provider on loopback whose sign-in page is a script: the browser names the person who signs in. */
export async function openProvider({ inIdToken = false, method = 'client_secret_basic' }: ProviderOptions = {}) {
  let handler: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};
  const server = createServer((request, response) => void handler(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, Claims>();

  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        ...(method === 'none' ? {} : { client_secret: clientSecret }),
        token_endpoint_auth_method: method,
        // A native client may come from any port of its own machine; the house learns its port only at start.
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/api/login/oidc/callback', 'http://localhost/api/login/oidc/callback'],
      },
    ],
    clientAuthMethods: [method],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'given_name', 'family_name'] },
    conformIdTokenClaims: !inIdToken,
    pkce: { required: () => true },
    cookies: { keys: ['only a test'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] as never },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: false } },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub, ...(people.get(sub) as object) }) }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session?.accountId ?? '' });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  };
  const provider = new Provider(issuer, configuration);
  const callback = provider.callback();
  const mood: { answers: 'well' | 'busy' | 'never'; asked: number } = { answers: 'well', asked: 0 };
  handler = async (request, response) => {
    mood.asked += 1;
    if (mood.answers === 'never') return undefined;
    if (mood.answers === 'busy') return response.writeHead(503).end();
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    const { prompt } = await provider.interactionDetails(request, response);
    const who = String(request.headers['x-person']);
    const calledOffHere = { error: 'access_denied', error_description: '<b>no</b>' };
    const result =
      who === calledOff ? calledOffHere : prompt.name === 'login' ? { login: { accountId: who } } : { consent: {} };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  };

  return {
    issuer,
    people,
    /** Kind of the next answers, and the number of requests so far. */
    mood,
    /** Configuration of a house whose people sign in here. */
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: clientId,
      OIDC_NAME: 'Test provider',
      ...(method === 'none' ? {} : { OIDC_CLIENT_SECRET: clientSecret }),
    },
    secrets: [clientSecret, encodeURIComponent(clientSecret)],
    browser: () => new ProviderBrowser(issuer),
    /** Runs the whole flow in one browser: to the provider, sign-in there, and back. */
    async signIn(
      person: Person,
      as: string,
      { path = '/api/login/oidc', browser = new ProviderBrowser(issuer) } = {},
    ): Promise<Answer> {
      const away = await person.get(path);
      const back = await browser.go(away.headers.get('location') ?? `${path} answered ${away.status}`, as);
      return person.get(back.pathname + back.search);
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type TestProvider = Awaited<ReturnType<typeof openProvider>>;

/** Signing in with this name cancels the sign-in at the provider. */
export const calledOff = 'nobody: called off';

/** A person's browser at the provider; after the first sign-in the provider lets it through. */
class ProviderBrowser {
  private readonly cookies = new Map<string, string>();
  private readonly issuer: string;

  constructor(issuer: string) {
    this.issuer = issuer;
  }

  /** Follows redirects from the house through the provider; returns the address it comes back to. */
  async go(address: string, as: string): Promise<URL> {
    let at = new URL(address);
    for (let step = 0; step < 20 && at.origin === this.issuer; step += 1) {
      const answer = await fetch(at, {
        redirect: 'manual',
        headers: { 'X-Person': as, Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      });
      for (const line of answer.headers.getSetCookie()) {
        const [pair = ''] = line.split(';');
        const cut = pair.indexOf('=');
        this.cookies.set(pair.slice(0, cut), pair.slice(cut + 1));
      }
      const next = answer.headers.get('location');
      if (next === null)
        throw new Error(`the provider stopped at ${at.pathname}: ${answer.status} ${await answer.text()}`);
      at = new URL(next, at);
    }
    return at;
  }
}
