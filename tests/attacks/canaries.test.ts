// S8: named secrets pass through all parts of the server. Afterwards no line of the log may contain them, and no answer
// but the one that is meant to carry them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#shared/ids.ts';
import { invite } from './accounts.ts';
import { cookiesOf, friendly, openWorld, type Received, type Sent, type World } from './run.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ env: { SUPPORT_EMAIL: 'support@example.test' } });
});
afterAll(() => world.house.close());

/** Each request, and everything that came back. */
const heard: { of: string; text: string; headers: string }[] = [];
/** Secrets by name, and the requests whose answer may carry them. */
const secrets = new Map<string, { value: string; in: RegExp }>();

const nowhere = /^$/;
function secret(name: string, value: string, where: RegExp = nowhere): string {
  expect(value.length, name).toBeGreaterThan(7);
  secrets.set(name, { value, in: where });
  return value;
}

async function ask(sent: Sent, cookies?: string): Promise<Received> {
  const headers = { ...friendly(), ...(cookies ? { Cookie: cookies } : {}), ...sent.headers };
  const answer = await world.send({ ...sent, headers });
  const of = `${sent.method ?? 'GET'} ${sent.path.replace(/[?].*/, '')}`;
  heard.push({ of, text: answer.text, headers: JSON.stringify(answer.headers) });
  return answer;
}

const cookie = ({ headers }: Received, name: string): string =>
  new RegExp(`${name}=([^;]+)`).exec(headers['set-cookie']?.join(' ') ?? '')?.[1] ?? '';

const someWord = () => `canary${newId(12)}`;
// A person who holds the link of a mail has read its address, too.
const own =
  /^(POST \/api\/(login|register|principals\/me|confirm\/.+)|GET \/api\/principals\/whoami|GET \/api\/outbox)/;

test('no secret is logged, and none is sent to people it is not meant for', async () => {
  const { house } = world;
  const email = secret('the address', `${someWord().toLowerCase()}@example.test`, own);
  const newEmail = secret(
    'the new address',
    `${someWord().toLowerCase()}@example.test`,
    /POST \/api\/login|whoami|outbox/,
  );
  const password = secret('the password', `correct horse ${someWord()}`);
  const second = secret('the second password', `battery staple ${someWord()}`);
  const json = (method: string, path: string, body: unknown, cookies?: string) =>
    ask({ method, path, json: body }, cookies);

  // Registering, confirming, the outbox.
  const registered = await json('POST', '/api/register', {
    ...{
      email,
      password,
      passwordConfirm: password,
      firstName: secret('the name', someWord(), own),
      lastName: 'Test',
      terms: true,
    },
  });
  expect(registered.status).toBe(200);
  secret('the first session', cookie(registered, 'colloquy'), /POST \/api\/register/);
  const confirmation = secret('the confirmation link', await house.tokenFor(email, '/confirm'), /outbox/);
  await ask({ path: `/api/confirm/${confirmation}` });
  expect((await ask({ method: 'POST', path: `/api/confirm/${confirmation}` })).status).toBe(200);
  await ask({ path: `/api/outbox?to=${encodeURIComponent(email)}` });

  // Signing in, badly, well, and as a form.
  await json('POST', '/api/login', { email, password: secret('a mistyped password', `mistyped ${someWord()}`) });
  const page = await ask({ path: '/api/login' });
  const token = secret(
    'the form token',
    /name="csrf_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '',
    /GET \/api\/login/,
  );
  const half = secret('the browser’s half of it', cookie(page, 'pre'), /GET \/api\/login/);
  const signedIn = await ask({
    method: 'POST',
    path: '/api/login',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Cookie: `pre=${half}` },
    raw: new URLSearchParams({ email, password, csrf_token: token, remember: 'y' }).toString(),
  });
  expect(signedIn.status).toBe(200);
  const session = secret('the session', cookie(signedIn, 'colloquy'), /POST \/api\/login/);
  const device = secret('the mark of the browser', cookie(signedIn, 'device'), /POST \/api\/login/);
  const cookies = `colloquy=${session}; device=${device}`;

  // Programs.
  const made = await json('POST', '/api/tokens', { name: 'a program' }, cookies);
  const key = secret('the key of a program', (JSON.parse(made.text) as { token: string }).token, /POST \/api\/tokens/);
  await ask({ path: '/api/principals/whoami', headers: { Authorization: `Bearer ${key}` } });
  await ask({
    path: '/api/principals/whoami',
    headers: { Authorization: `Bearer ${secret('a wrong key', `colloquy_${newId(40)}`)}` },
  });
  await ask({ path: '/api/tokens' }, cookies);

  // A new address, a new password.
  await json('POST', '/api/principals/me/change-email/step1', { newEmail }, cookies);
  const link = secret('the link to the new address', await house.tokenFor(newEmail, '/confirm-email-change'), /outbox/);
  expect((await json('POST', '/api/principals/me/change-email/step2', { token: link, password }, cookies)).status).toBe(
    204,
  );
  secret('the link back', await house.tokenFor(email, '/undo-email-change'), /outbox/);
  await json('POST', '/api/reset', { email: newEmail });
  const reset = secret('the link to a new password', await house.tokenFor(newEmail, '/reset'), /outbox/);
  await ask({ path: `/api/reset/${reset}` });
  expect((await json('POST', `/api/reset/${reset}`, { password: second, passwordConfirm: second })).status).toBe(204);
  const again = await json('POST', '/api/login', { email: newEmail, password: second });
  const after = `colloquy=${secret('the session after that', cookie(again, 'colloquy'), /POST \/api\/login/)}`;
  await ask({ path: '/api/principals/whoami' }, after);

  // An invitation, feedback to the operators, a report of a broken page.
  const invitation = await invite(
    world,
    secret('an invited address', `${someWord().toLowerCase()}@example.test`, /outbox/),
  );
  secret('the invitation', invitation.secret, /outbox/);
  await ask({ method: 'POST', path: `/api/invitations/${invitation.secret}` });
  const shared = `https://example.test/reset/${secret('a link in what somebody wrote', newId(40))}?code=${secret('a code in it', newId(16))}`;
  await json('POST', '/api/feedback', {
    text: `${secret('what somebody wrote', someWord())} at ${shared}`,
    contact: email,
  });
  await json('POST', '/api/logs', { message: `failed to load ${shared}` });

  // Values in addresses.
  const inQuery = secret('a value in an address', someWord());
  for (const path of [
    '/api/principals/whoami',
    '/api/login',
    '/',
    '/reset/x',
    '/api/nothing',
    '/healthz',
    '/api/login/nobody',
  ]) {
    await ask({
      path: `${path}?token=${inQuery}&access_code=${inQuery}`,
      headers: { Referer: `http://x/?${inQuery}`, 'User-Agent': inQuery },
    });
  }
  await ask({ method: 'DELETE', path: `/api/tokens/${secret('a value in a path', someWord())}` }, after);

  // Internal failures: the database names the bad value, and the query its parameters.
  await house.database.sql`alter table users add constraint no_more check (first_name <> 'Forbidden') not valid`;
  await house.database.sql`alter table feedback rename column text to words`;
  const broken = await json('POST', '/api/feedback', {
    text: secret('what was lost', someWord()),
    contact: secret('whose it was', someWord()),
  });
  expect(broken.status).toBe(500);
  const refused = await json('POST', '/api/register', {
    ...{
      email: secret('an address that failed', `${someWord().toLowerCase()}@example.test`),
      firstName: 'Forbidden',
      lastName: 'Test',
      terms: true,
    },
    ...{
      password: secret('a password that failed', someWord()),
      passwordConfirm: secrets.get('a password that failed')?.value,
    },
  });
  expect(refused.status).toBe(500);

  await ask({ method: 'POST', path: '/api/logout' }, after);
  await ask({ path: '/metrics', headers: { Host: 'localhost' } });

  const log = house.log();
  expect(log.split('\n').length).toBeGreaterThan(40);
  expect(log).toContain('"msg":"request failed"');
  for (const [name, { value, in: where }] of secrets) {
    expect(log.includes(value), `${name} is in the log`).toBe(false);
    for (const answer of heard) {
      const told = answer.text.includes(value) || answer.headers.includes(value);
      expect(told && !where.test(answer.of), `${name} is in the answer to ${answer.of}`).toBe(false);
    }
  }
  // No answer's body contains these, not even for the person they belong to.
  for (const name of ['the session', 'the first session', 'the mark of the browser']) {
    expect(heard.some(({ text }) => text.includes(secrets.get(name)?.value ?? ''))).toBe(false);
  }
});

test('L11 what is stored of a secret does not open anything: it is found by its hash', async () => {
  const { sql } = world.house.database;
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'mail_outbox'`;
  const rows = await Promise.all(tables.map(({ name }) => sql.unsafe(`select t::text from "${name}" t`)));
  const stored = JSON.stringify(rows);
  for (const name of [
    'the password',
    'the session',
    'the key of a program',
    'the confirmation link',
    'the invitation',
    'the mark of the browser',
  ]) {
    expect(stored.includes(secrets.get(name)?.value ?? '?'), name).toBe(false);
  }
  expect(cookiesOf(world.ann)).not.toBe('');
});
