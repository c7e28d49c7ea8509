import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import type { Scene, Table } from '#tests/support/table.ts';

const secret = 'i'.repeat(43);
const leadsTo =
  (location: string) =>
  ({ headers }: { headers: Headers }) =>
    expect(headers.get('location')).toBe(location);

// The provider of the tables is a scripted one; identity.test.ts has a real one.
export default {
  'GET /api/sign-in-options': [
    {
      when: 'anybody asks',
      status: 200,
      // The callers of the tables come through a proxy, so no demo people are offered.
      then: ({ body }) =>
        expect(body).toEqual({ identity: { id: 'oidc', name: 'Scripted provider' }, botCheck: false, demo: [] }),
    },
  ],

  'GET /api/bot-check': [
    {
      when: 'the house asks for no proof',
      query: '?action=register',
      status: 200,
      then: ({ body }) => expect(body).toEqual({ challenge: null }),
    },
    { when: 'the other action', query: '?action=restore', status: 200 },
    { when: 'no action is named', status: 422, code: 'INVALID', fields: { action: 'invalid' } },
    { when: 'of another action', query: '?action=login', status: 422, code: 'INVALID', fields: { action: 'invalid' } },
    {
      when: 'asked for too often',
      query: '?action=register',
      send: async ({ caller, exhaust }) => {
        await exhaust(rules.botCheck, caller.address ?? '');
        return {};
      },
      status: 429,
      code: 'RATE',
    },
  ],

  'GET /api/login/invite': [
    { when: 'it names no invitation', status: 302, then: leadsTo('/login') },
    {
      when: 'it says where to go on',
      query: '?next_url=/upload',
      status: 302,
      then: leadsTo('/login?redirectTo=%2Fupload'),
    },
    { when: 'it names an invitation', query: `?invite=${secret}`, status: 302, then: leadsTo(`/invitation/${secret}`) },
    {
      when: 'the page to go on with names it',
      query: `?next_url=${encodeURIComponent(`/upload?invite=${secret}&mentor=1`)}`,
      status: 302,
      then: leadsTo(`/invitation/${secret}?redirectTo=${encodeURIComponent(`/upload?invite=${secret}&mentor=1`)}`),
    },
    {
      when: 'it wants to lead elsewhere',
      query: `?next_url=//evil.example&invite=${encodeURIComponent('../../evil')}`,
      status: 302,
      then: leadsTo('/login'),
    },
    {
      when: 'signed in: a link signs nobody in or out',
      as: 'session',
      query: `?invite=${secret}`,
      status: 302,
      then: async ({ headers }, { caller }) => {
        expect(headers.getSetCookie()).toEqual([]);
        expect((await caller.whoami()).body.principal.id).toBe(caller.id);
      },
    },
  ],

  'GET /api/login/:provider': [
    {
      when: 'the provider is ours',
      params: { provider: 'oidc' },
      query: '?next_url=/profile',
      status: 302,
      then: ({ headers }) => {
        expect(headers.get('location')).toMatch(/^https:\/\/id\.example\/\?state=[\w-]{43}$/);
        expect(headers.get('set-cookie')).toMatch(/^identity=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/);
      },
    },
    {
      when: 'not signed in, so nothing to prove again',
      params: { provider: 'oidc' },
      query: '?again=1&next_url=/profile',
      status: 302,
      then: leadsTo('/login?error=expired&redirectTo=%2Fprofile'),
    },
    { when: 'there is no such provider', params: { provider: 'constructor' }, status: 404, code: 'NOT_FOUND' },
    {
      when: 'begun too often',
      params: async ({ caller, exhaust }) => {
        await exhaust(rules.identity, caller.address ?? '');
        return { provider: 'oidc' };
      },
      status: 429,
      code: 'RATE',
    },
  ],

  'GET /api/login/:provider/callback': [
    {
      when: 'called off at the provider',
      params: { provider: 'oidc' },
      query: async (scene) => `?error=access_denied&state=${await begun(scene)}`,
      status: 302,
      then: leadsTo('/login?error=refused&redirectTo=%2Fprofile'),
    },
    {
      when: 'the provider says who it is',
      params: { provider: 'oidc' },
      query: async (scene) => `?code=x&state=${await begun(scene)}`,
      status: 302,
      then: async ({ headers }, { caller }) => {
        expect(headers.get('location')).toBe('/profile');
        expect((await caller.whoami()).body.principal.email).toBe('ann@id.example');
      },
    },
    {
      when: 'it began in another browser',
      params: { provider: 'oidc' },
      query: async ({ house, ...scene }) =>
        `?code=x&state=${await begun({ ...scene, house, caller: house.stranger() })}`,
      status: 403,
      code: 'CSRF',
    },
    { when: 'it never began', params: { provider: 'oidc' }, query: '?code=x&state=y', status: 403, code: 'CSRF' },
    { when: 'there is no such provider', query: '?code=x&state=y', status: 404, code: 'NOT_FOUND' },
  ],
} satisfies Table;

/** A sign-in that waits for the browser to come back: its state. */
async function begun({ caller }: Scene): Promise<string> {
  const away = await caller.get('/api/login/oidc?next_url=/profile');
  return new URL(away.headers.get('location') ?? '').searchParams.get('state') ?? '';
}
