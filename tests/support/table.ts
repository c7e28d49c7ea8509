import { describe, expect, it } from 'vitest';
import { eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import type { Rule } from '#server/limits.ts';
import type { ProblemCode } from '#shared/problems.ts';
import type { TestHouse } from './house.ts';
import type { Answer, CallOptions, Person } from './people.ts';

/** Caller of a row. Each caller is new, and has an address of their own. */
type Caller = 'nobody' | 'session' | 'token' | 'unconfirmed' | 'passwordless';

export interface Scene {
  house: TestHouse;
  caller: Person;
  /** Another person, signed in. */
  person(name?: string): Promise<Person>;
  /** Uses up what a limit allows. */
  exhaust(rule: Rule, key: string): Promise<void>;
}

export interface Row {
  /** Condition under which this is the answer. */
  when: string;
  as?: Caller;
  /** Values for `:name` in the path; by default ids that do not exist. */
  params?: Record<string, string> | ((scene: Scene) => Promise<Record<string, string>>);
  query?: string | ((scene: Scene) => Promise<string>);
  /** Body to send; as a function it may first prepare the row's situation. */
  body?: unknown;
  /** Encoding of the body, unless it is plain JSON. */
  send?: CallOptions | ((scene: Scene) => Promise<CallOptions>);
  status: number;
  code?: ProblemCode;
  /** Invalid fields, each with its code. */
  fields?: Record<string, string>;
  /** Checks the state afterwards. */
  then?: (answer: Answer, scene: Scene) => unknown;
}

/** The row of every list: it refuses a parameter that it does not know. */
export const unknownParameter: Row = {
  when: 'a parameter it does not know',
  as: 'session',
  query: '?page=2',
  status: 422,
  code: 'INVALID',
  fields: { page: 'unknown' },
};

/** Rows by route, such as `POST /api/login`. */
export type Table = Record<string, Row[]>;

/** Turns each row into one test: one call, its answer, and that this very route answered. */
export function runTable(table: Table, house: () => TestHouse): void {
  for (const [route, rows] of Object.entries(table)) {
    describe(route, () => {
      for (const row of rows)
        it(`${[row.status, row.code].join(' ').trim()}: ${row.when}`, async () => {
          const scene = await sceneFor(house(), row.as ?? 'nobody');
          const body: unknown =
            typeof row.body === 'function' ? await (row.body as (scene: Scene) => unknown)(scene) : row.body;
          const params = typeof row.params === 'function' ? await row.params(scene) : row.params;
          const query = typeof row.query === 'function' ? await row.query(scene) : (row.query ?? '');
          const send = typeof row.send === 'function' ? await row.send(scene) : row.send;
          const [method = '', pattern = ''] = route.split(' ');
          const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) =>
            encodeURIComponent(params?.[name] ?? 'nothing'),
          );

          const answer = await scene.caller.call(method, path + query, body, send);

          expect(answer.status, answer.text).toBe(row.status);
          expectHouseHeaders(answer);
          expect(routeOf(scene.house, answer), 'the route that answered').toBe(pattern);
          if (row.status >= 400) expectProblem(answer, row);
          await row.then?.(answer, scene);
        });
    });
  }
}

/** Submits the form of the page at `path` as a browser does, with its token. */
export const asForm =
  (path: string, fields: Record<string, string>) =>
  async ({ caller }: Scene): Promise<CallOptions> => ({
    bare: true,
    raw: new URLSearchParams({ csrf_token: await caller.formToken(path), ...fields }).toString(),
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Origin: caller.origin,
      'Sec-Fetch-Site': 'same-origin',
    },
  });

let callers = 0;

/** People who were made together and whom no row has had yet, by name. */
const waiting = new WeakMap<TestHouse, Map<string, { people: Promise<Person[]>; at: number }>>();
const madeAtOnce = 16;

/** Somebody new. Many are made at once, which costs less; all just now, by the clock of the house. */
async function nextOf(house: TestHouse, name: string): Promise<Person> {
  const named = waiting.get(house) ?? new Map<string, { people: Promise<Person[]>; at: number }>();
  waiting.set(house, named);
  const now = house.clock.now().getTime();
  let made = named.get(name);
  if (!made || now - made.at > 60_000) {
    made = { people: house.people(madeAtOnce, { accountType: null }, name), at: now };
    named.set(name, made);
  }
  return (await made.people).pop() ?? (named.delete(name), nextOf(house, name));
}

async function sceneFor(house: TestHouse, kind: Caller): Promise<Scene> {
  const address = () => {
    callers += 1;
    return `10.${callers >> 16}.${(callers >> 8) & 255}.${callers & 255}`;
  };
  const person = async (name = 'Ben') => Object.assign(await nextOf(house, name), { address: address() });
  const caller = kind === 'nobody' ? house.stranger() : await person('Ann');
  caller.address ??= address();
  const change = (fields: Partial<typeof users.$inferInsert>) =>
    house.database.orm.update(users).set(fields).where(eq(users.id, caller.id));
  if (kind === 'unconfirmed') await change({ confirmedAt: null });
  if (kind === 'passwordless') await change({ passwordHash: null });
  if (kind === 'token') {
    const made = await caller.post('/api/tokens', { name: 'a script' });
    caller.token = (made.body as { token: string }).token;
    caller.cookies.clear();
  }
  const exhaust = async (rule: Rule, key: string) => {
    // Sends ten at a time, so that all are within the window that the first one opens.
    for (let left = rule.most; left > 0; left -= 10)
      await Promise.all(Array.from({ length: Math.min(10, left) }, () => house.house.limits.allow(rule, key)));
  };
  return { house, caller, person, exhaust };
}

function expectHouseHeaders({ headers }: Answer): void {
  expect(headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toMatch(/^(no-store|no-cache|private, no-cache)$/);
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
}

function expectProblem(answer: Answer, row: Row): void {
  const { problem, headers } = answer;
  expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(problem).toMatchObject({
    status: row.status,
    code: row.code,
    requestId: headers.get('x-request-id'),
    info: { code: row.code, message: problem.message },
  });
  if (row.fields)
    expect(Object.fromEntries(problem.info.errors.map(({ field, code }) => [field, code]))).toEqual(row.fields);
  if (row.status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
}

/** Route that answered, according to the log: a row that never reached its route would prove nothing. */
function routeOf(house: TestHouse, answer: Answer): string | undefined {
  const id = answer.headers.get('x-request-id');
  if (!id) return undefined;
  const line = house.lastLine(id, '"msg":"request"');
  return line === undefined ? undefined : (JSON.parse(line) as { route: string }).route;
}
