// A check that cannot fail proves nothing. Each guard of the server is taken away here, and the attacks that it stops
// must be noticed; with all guards in place the same attacks pass.
import type * as Answer from '#server/http/answer.ts';
import type * as Forms from '#server/http/forms.ts';
import type * as Guard from '#server/http/guard.ts';
import type * as Headers from '#server/http/headers.ts';
import type * as Json from '#server/http/json.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { apiRoutes, writing } from './routes.ts';
import { foreignForms, requestAttacks } from './requests.ts';
import { accountAttacks } from './accounts.ts';
import { attempt, friendly, openWorld, type Attack, type World } from './run.ts';

const without = vi.hoisted(() => ({
  guard: false,
  formTokens: false,
  headers: false,
  json: false,
  silence: false,
  patterns: false,
}));

vi.mock(import('#server/http/guard.ts'), async (original) => {
  const actual: typeof Guard = await original();
  return { ...actual, guard: (c, next) => (without.guard ? next() : actual.guard(c, next)) };
});
vi.mock(import('#server/http/forms.ts'), async (original) => {
  const actual: typeof Forms = await original();
  return {
    ...actual,
    checkFormToken: (...given) => (without.formTokens ? undefined : actual.checkFormToken(...given)),
  };
});
vi.mock(import('#server/http/headers.ts'), async (original) => {
  const actual: typeof Headers = await original();
  return { ...actual, houseHeaders: (...given) => (without.headers ? undefined : actual.houseHeaders(...given)) };
});
vi.mock(import('#server/http/json.ts'), async (original) => {
  const actual: typeof Json = await original();
  return {
    ...actual,
    parseJson: (source) => (without.json ? (JSON.parse(source) as unknown) : actual.parseJson(source)),
  };
});
vi.mock(import('#server/http/answer.ts'), async (original) => {
  const actual: typeof Answer = await original();
  return {
    ...actual,
    onError: async (error, c) => {
      const answer = await actual.onError(error, c);
      if (!without.silence) return answer;
      const body = { ...((await answer.json()) as object), message: error.stack };
      return c.newResponse(JSON.stringify(body), answer.status as 500, Object.fromEntries(answer.headers));
    },
    routeOf: (c) => (without.patterns ? c.req.url : actual.routeOf(c)),
  };
});

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.house.close());
afterEach(() =>
  Object.assign(without, {
    guard: false,
    formTokens: false,
    headers: false,
    json: false,
    silence: false,
    patterns: false,
  }),
);

const rows = (id: string, words: RegExp): Attack[] => {
  const found = [...requestAttacks, ...accountAttacks].filter((attack) => attack.id === id && words.test(attack.what));
  expect(found.length, `${id} ${words}`).toBeGreaterThan(0);
  return found;
};

async function unnoticed(attacks: Attack[]): Promise<string[]> {
  const passed: string[] = [];
  for (const attack of attacks) {
    const failure = await attempt(attack, world).catch((error: unknown) => error);
    if (failure === undefined) passed.push(attack.what);
  }
  return passed;
}

describe.each<[keyof typeof without, () => Attack[]]>([
  [
    'guard',
    () => [
      ...foreignForms(apiRoutes(world).filter(writing)).filter(({ what }) =>
        /(feedback|principals\/me|tokens) from/.test(what),
      ),
      ...rows('B02', /^Origin: null|^no Origin/),
    ],
  ],
  ['formTokens', () => rows('B05', /of another browser|empty|missing|later end|of another page/)],
  ['headers', () => rows('B07', /./)],
  ['json', () => rows('B11', /given twice|__proto__|half a value/)],
  ['silence', () => rows('A01', /./)],
  ['patterns', () => rows('A06', /confirm link of another purpose/)],
])('%s', (which, attacks) => {
  test('in place: the attacks are refused', async () => {
    const all = attacks();
    expect(await unnoticed(all)).toEqual(all.map(({ what }) => what));
  });

  test('taken away: every attack is noticed', async () => {
    without[which] = true;
    expect(await unnoticed(attacks())).toEqual([]);
  });
});

test('a change that is not allowed to happen is noticed', async () => {
  const change: Attack = {
    id: 'control',
    what: 'a change',
    as: 'ann',
    request: { method: 'POST', path: '/api/principals/me', headers: friendly(), json: { language: 'zh' } },
    expect: { status: 200 },
  };
  await expect(attempt(change, world)).rejects.toThrow('something changed');
  await attempt({ ...change, stateEqual: false }, world);
});

test('another answer than the one that is expected is noticed', async () => {
  const request = { path: '/api/tokens' };
  await expect(attempt({ id: 'control', what: '', request, expect: { status: 200 } }, world)).rejects.toThrow();
  await expect(
    attempt({ id: 'control', what: '', request, expect: { status: 401, code: 'CSRF' } }, world),
  ).rejects.toThrow();
});
