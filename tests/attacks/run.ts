import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { and, isNull, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mailOutbox } from '#db/schema/house.ts';
import { newId } from '#shared/ids.ts';
import type { ProblemBody, ProblemCode } from '#shared/problems.ts';
import { openHouse, type HouseOptions, type TestHouse } from '#tests/support/house.ts';
import type { Person } from '#tests/support/people.ts';

/** A request of an attacker, byte for byte as far as a program can; nothing is added that is not named here. */
export interface Sent {
  method?: string;
  path: string;
  headers?: Record<string, string | string[]>;
  /** Sent as JSON, with its media type unless another one is given. */
  json?: unknown;
  /** Sent unchanged. */
  raw?: string | Buffer;
}

export interface Received {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  problem: ProblemBody;
}

export interface World {
  house: TestHouse;
  /** A signed-in person, whose browser or session is abused. */
  ann: Person;
  /** Sends the request unchanged. */
  send(sent: Sent): Promise<Received>;
}

export interface Attack {
  /** The row of the catalogue. */
  id: string;
  what: string;
  /** Owner of the cookies or token that are sent: a browser adds them for any page that asks. */
  as?: 'nobody' | 'ann' | 'program';
  request: Sent | ((world: World) => Sent | Promise<Sent>);
  /** Seconds the attacker waits before sending it. */
  later?: number;
  expect: { status: number | number[]; code?: ProblemCode };
  /** False if something may change; otherwise nothing visible to any person has changed afterwards. */
  stateEqual?: false;
  then?: (answer: Received, world: World) => unknown;
}

/** A house behind a proxy, and Ann, who is signed in and has a token for her programs. */
export async function openWorld(options: HouseOptions = {}): Promise<World> {
  const house = await openHouse({ ...options, env: { TRUSTED_PROXIES: '127.0.0.1', ...options.env } });
  const ann = await house.person('Ann');
  const made = await ann.post('/api/tokens', { name: 'a program' });
  ann.token = (made.body as { token: string }).token;
  const send = sender(house);
  // First use, so that what the server records at it is recorded now.
  await send({ path: '/api/principals/whoami', headers: { Authorization: `Bearer ${ann.token}` } });
  return { house, ann, send };
}

/** Headers that a well-behaved program sends with a change. */
export const friendly = (): Record<string, string> => ({ 'X-Request-ID': newId() });

/** One test a row; `world` is made before the first of them. */
export function runAttacks(attacks: readonly Attack[], world: () => World): void {
  for (const attack of attacks) test(`${attack.id} ${attack.what}`, () => attempt(attack, world()));
}

/** Carries one attack out; fails unless it was refused in the expected way, without a trace. */
export async function attempt(attack: Attack, world: World): Promise<void> {
  const { house } = world;
  const given = typeof attack.request === 'function' ? await attack.request(world) : attack.request;
  const sent = withIdentity(given, attack.as ?? 'nobody', world.ann);
  await settled(house);
  const before = await fingerprint(house);
  const logged = house.log().length;

  house.clock.forward(attack.later ?? 0);
  const answer = await world.send(sent).finally(() => house.clock.forward(-(attack.later ?? 0)));

  const wanted = [attack.expect.status].flat();
  expect(wanted, `${answer.status} ${answer.text.slice(0, 300)}`).toContain(answer.status);
  expectHeaders(answer, sent);
  if (answer.status >= 400) expectProblem(answer, attack.expect.code);
  if (answer.status >= 400) expectSilence(answer, sent);
  expectCleanLog(house.log().slice(logged), sent);
  if (attack.stateEqual !== false) expect(await fingerprint(house), 'something changed').toEqual(before);
  await attack.then?.(answer, world);
}

function withIdentity(sent: Sent, as: NonNullable<Attack['as']>, ann: Person): Sent {
  const identity: Record<string, string> =
    as === 'program' ? { Authorization: `Bearer ${ann.token}` } : as === 'ann' ? { Cookie: cookiesOf(ann) } : {};
  return { ...sent, headers: { 'X-Forwarded-For': newAddress(), ...identity, ...sent.headers } };
}

export const cookiesOf = (person: Person): string =>
  [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');

/** Everybody calls from an address of their own, as the house's proxy tells it, so that no row uses up another's limits. */
let addresses = 0;
export function newAddress(): string {
  addresses += 1;
  return `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
}

/** Avoids `fetch`, which would correct requests that are wrong on purpose. */
function sender(house: TestHouse): World['send'] {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  return ({ method = 'GET', path, headers = {}, json, raw }) =>
    new Promise((resolve, reject) => {
      const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
      const all = { ...(json === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers };
      const length =
        body === undefined || 'Transfer-Encoding' in all ? {} : { 'Content-Length': Buffer.byteLength(body) };
      const outgoing = httpRequest(
        { host: '127.0.0.1', port: house.port, method, path, headers: { ...length, ...all }, agent },
        (incoming) => {
          const parts: Buffer[] = [];
          incoming.on('data', (part: Buffer) => parts.push(part));
          incoming.on('error', reject);
          incoming.on('end', () => {
            const text = Buffer.concat(parts).toString();
            const isJson = (incoming.headers['content-type'] ?? '').includes('json') && text !== '';
            const problem = (isJson ? JSON.parse(text) : null) as ProblemBody;
            resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, problem });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
}

/** Expects these headers on every answer, success or failure. */
export function expectHeaders(answer: Pick<Received, 'status' | 'headers'>, sent?: Sent): void {
  const { headers } = answer;
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['referrer-policy']).toBe('no-referrer');
  expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  expect(headers['cross-origin-opener-policy']).toBe('same-origin');
  expect(headers['x-frame-options']).toBe('DENY');
  expect(headers['content-security-policy']).toMatch(/default-src '(none|self)'.*frame-ancestors 'none'/);
  expect(headers['content-security-policy']).not.toMatch(/unsafe|\*/);
  expect(headers['cache-control']).toMatch(/^(no-store|no-cache|public, max-age=31536000, immutable)$/);
  expect(Object.keys(headers).filter((name) => /^access-control-|^server$|^x-powered-by$/.test(name))).toEqual([]);
  expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9-]{8,64}$/);
  const given = sent?.headers?.['X-Request-ID'];
  if (typeof given === 'string' && /^[A-Za-z0-9-]{8,64}$/.test(given)) expect(headers['x-request-id']).toBe(given);
}

export function expectProblem({ status, headers, problem }: Received, code?: ProblemCode): void {
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(Object.keys(problem).toSorted()).toEqual(['code', 'info', 'message', 'requestId', 'status', 'title', 'type']);
  expect(problem.status).toBe(status);
  expect(problem.requestId).toBe(headers['x-request-id']);
  expect(problem.info).toMatchObject({ code: problem.code, message: problem.message });
  expect(problem.info.errors.every(({ field, code: why }) => typeof field === 'string' && /^[a-z_]+$/.test(why))).toBe(
    true,
  );
  if (code !== undefined) expect(problem.code).toBe(code);
  if (status === 429 || status === 503) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
}

/** The answer contains nothing about our software, and nothing of the request. */
const insides =
  /\bat .+:\d+:\d+|node_modules|\/(server|db|dist|shared)\/|\bselect\b.+\bfrom\b|insert into|drizzle|postgres|violates|relation "|TypeError|SyntaxError|undefined|\[object/i;

export function expectSilence({ text }: Pick<Received, 'text'>, sent: Sent): void {
  expect(text).not.toMatch(insides);
  for (const word of wordsOf(sent)) expect(text.includes(word), `echoes ${word}`).toBe(false);
}

function expectCleanLog(lines: string, sent: Sent): void {
  for (const line of lines.split('\n').filter(Boolean)) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
  for (const word of [...wordsOf(sent), ...secretsOf(sent)]) expect(lines.includes(word), `logs ${word}`).toBe(false);
}

/** Words written by the attacker and by nobody else: long and odd enough not to appear anywhere by chance. */
function wordsOf({ json, raw, path }: Sent): string[] {
  const found: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') found.push(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  collect(json);
  if (typeof raw === 'string') found.push(raw);
  const query = path.split('?')[1];
  if (query !== undefined) found.push(query, ...new URLSearchParams(query).values());
  return found.filter((word) => word.length >= 8).map((word) => word.slice(0, 200));
}

function secretsOf({ headers = {}, path }: Sent): string[] {
  const cookies = String(headers['Cookie'] ?? '').split(/[;=]\s*/);
  const token = String(headers['Authorization'] ?? '').slice('Bearer '.length);
  // Links of mails carry their token in the path.
  const segments = path.split(/[/?]/);
  return [...cookies, token, ...segments].filter((word) => word.length >= 20);
}

/** A digest of everything any person could see, except counts of limits and the times sessions were last used. */
export async function fingerprint({ database }: TestHouse): Promise<Record<string, string>> {
  const tables = await database.sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'rate_limits' order by 1`;
  const shown = `(to_jsonb(t) - 'seen_at')::text`;
  const parts = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(coalesce(string_agg(${shown}, '|' order by ${shown}), '')) as digest from "${name}" t`,
  );
  const rows = await database.sql.unsafe<{ name: string; digest: string }[]>(parts.join(' union all '));
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

/** Waits until mails of earlier rows have left. */
async function settled({ database }: TestHouse): Promise<void> {
  const waiting = () =>
    database.orm
      .select({ n: sql<number>`1` })
      .from(mailOutbox)
      .where(and(isNull(mailOutbox.sentAt), isNull(mailOutbox.failedAt)));
  while ((await waiting()).length > 0) await sleep(10);
}
