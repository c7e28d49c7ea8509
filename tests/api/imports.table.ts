import { expect } from 'vitest';
import { eq } from 'drizzle-orm';
import { serviceAccounts, serviceFlows } from '#db/schema/intake.ts';
import { rules } from '#server/limits.ts';
import type { ServiceId } from '#shared/meeting-services.ts';
import { begunService, busyPage, letIn, offOnce } from '#tests/support/scripted-services.ts';
import { asForm, type Row, type Scene, type Table } from '#tests/support/table.ts';

const leadsTo =
  (location: string) =>
  ({ headers }: { headers: Headers }) =>
    expect(headers.get('location')).toBe(location);
const accounts = ({ house, caller }: Scene) =>
  house.database.orm.select().from(serviceAccounts).where(eq(serviceAccounts.userId, caller.id));

/** The same of both; services of the tables are scripted ones, imports.test.ts has real ones. */
const of = (id: ServiceId) => {
  const off: Row = {
    when: 'this server is not connected to it',
    as: 'session',
    send: ({ house }) => {
      offOnce(house, id);
      return Promise.resolve({});
    },
    status: 404,
    code: 'NOT_FOUND',
  };
  const known = async ({ caller }: Scene) => {
    await letIn(caller, id);
    return {};
  };
  const stays = async (_: unknown, scene: Scene) => expect(await accounts(scene)).toHaveLength(1);
  const goes = async (_: unknown, scene: Scene) => expect(await accounts(scene)).toEqual([]);
  const quiet = (headers: Record<string, string>) => async (scene: Scene) => {
    await letIn(scene.caller, id);
    return { bare: true, headers };
  };
  const refused: Row[] = [
    off,
    { when: 'not signed in', status: 401, code: 'UNAUTH' },
    { when: 'no access was given', as: 'session', status: 403, code: id === 'zoom' ? 'ZOOM_AUTH' : 'WEBEX_AUTH' },
    {
      when: 'it does not answer',
      as: 'token',
      // Let in by the session, asked by a program.
      query: async ({ house, caller }) => {
        const twin = house.stranger();
        Object.assign(twin, { email: caller.email, password: caller.password });
        await twin.login();
        await letIn(twin, id);
        return `?${id === 'zoom' ? 'page_size' : 'max'}=${busyPage}`;
      },
      status: 502,
      code: 'UPSTREAM',
    },
    {
      when: 'asked too often',
      as: 'session',
      send: async ({ caller, exhaust }) => {
        await exhaust(rules.importLists, caller.id);
        return {};
      },
      status: 429,
      code: 'RATE',
    },
    ...['from=yesterday', 'from=2026-01-01%26page_size=1', 'to=2026-13-40', 'from=2026-02-01&to=2026-01-01'].map(
      (query): Row => ({ when: query, as: 'session', query: `?${query}`, status: 422, code: 'INVALID' }),
    ),
  ];
  return {
    authorize: [
      off,
      {
        when: 'signed in: to the service',
        as: 'session',
        query: '?next_url=/profile',
        status: 302,
        then: ({ headers }) =>
          expect(headers.get('location')).toMatch(new RegExp(`^https://${id}\\.example/authorize\\?state=[\\w-]{43}$`)),
      },
      {
        when: 'not signed in: to sign in first',
        query: '?next_url=/profile',
        status: 302,
        then: leadsTo('/login?redirectTo=%2Fprofile'),
      },
      { when: 'it wants to lead elsewhere', query: '?next_url=//evil.example', status: 302, then: leadsTo('/login') },
      { when: 'a program: it cannot give access', as: 'token', status: 403, code: 'NO_PERM' },
      {
        when: 'begun too often',
        as: 'session',
        send: async ({ caller, exhaust }) => {
          await exhaust(rules.identity, caller.address ?? '');
          return {};
        },
        status: 429,
        code: 'RATE',
      },
    ] satisfies Row[],
    callback: [
      off,
      {
        when: 'let in',
        as: 'session',
        query: async ({ caller }) => `?code=good&state=${await begunService(caller, id)}`,
        status: 302,
        then: async (answer, scene) => {
          leadsTo('/profile')(answer);
          await stays(answer, scene);
        },
      },
      {
        when: 'called off there',
        as: 'session',
        query: async ({ caller }) => `?error=access_denied&state=${await begunService(caller, id)}`,
        status: 302,
        then: async (answer, scene) => {
          leadsTo('/profile')(answer);
          await goes(answer, scene);
        },
      },
      {
        when: 'the code is none',
        as: 'session',
        query: async ({ caller }) => `?code=other&state=${await begunService(caller, id)}`,
        status: 302,
        then: goes,
      },
      {
        when: 'no access was given within ten minutes',
        as: 'session',
        query: async ({ house, caller }) => {
          const state = await begunService(caller, id);
          await house.database.orm.update(serviceFlows).set({ expiresAt: house.clock.now() });
          return `?code=good&state=${state}`;
        },
        status: 302,
        then: goes,
      },
      {
        when: 'another person began it',
        as: 'session',
        query: async ({ caller, person }) => {
          expect(caller.id).not.toBe('');
          return `?code=good&state=${await begunService(await person(), id)}`;
        },
        status: 403,
        code: 'CSRF',
        then: goes,
      },
      {
        when: 'the same person began it in another session',
        as: 'session',
        query: async ({ house, caller }) => {
          const elsewhere = house.stranger();
          Object.assign(elsewhere, { email: caller.email, password: caller.password });
          await elsewhere.login();
          return `?code=good&state=${await begunService(elsewhere, id)}`;
        },
        status: 403,
        code: 'CSRF',
        then: goes,
      },
      {
        when: 'it was used already',
        as: 'session',
        query: async ({ caller }) => {
          const query = `?code=good&state=${await begunService(caller, id)}`;
          await caller.get(`/api/login/${id}/callback${query}`);
          return query;
        },
        status: 403,
        code: 'CSRF',
        then: stays,
      },
      { when: 'it never began', as: 'session', query: '?code=good&state=y', status: 403, code: 'CSRF' },
      { when: 'not signed in', query: '?code=good&state=y', status: 403, code: 'CSRF' },
      { when: 'a program', as: 'token', query: '?code=good&state=y', status: 403, code: 'NO_PERM' },
    ] satisfies Row[],
    refused,
    known,
    getLogout: [
      off,
      { when: 'not signed in', status: 401, code: 'UNAUTH' },
      { when: 'our own page', as: 'session', send: known, status: 204, then: goes },
      {
        when: 'B04: an image on a foreign page',
        as: 'session',
        send: quiet({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }),
        status: 403,
        code: 'CSRF',
        then: stays,
      },
      {
        when: 'an address that was typed: it is asked first',
        as: 'session',
        send: quiet({ 'Sec-Fetch-Site': 'none' }),
        status: 200,
        then: async (answer, scene) => {
          expect(answer.text).toContain('Do you want to log out of');
          await stays(answer, scene);
        },
      },
      {
        when: 'a prefetch',
        as: 'session',
        send: quiet({ 'Sec-Fetch-Site': 'same-origin', 'Sec-Purpose': 'prefetch', 'X-Request-ID': 'x'.repeat(22) }),
        status: 200,
        then: stays,
      },
    ] satisfies Row[],
    postLogout: [
      off,
      { when: 'not signed in', status: 401, code: 'UNAUTH' },
      { when: 'signed in', as: 'session', send: known, status: 204, then: goes },
      { when: 'there is nothing to log out of', as: 'session', status: 204 },
      {
        when: 'the form of the page that asks',
        as: 'session',
        send: async (scene) => {
          await letIn(scene.caller, id);
          const form = await asFormOf(scene, id);
          return form;
        },
        status: 303,
        then: async (answer, scene) => {
          leadsTo('/')(answer);
          await goes(answer, scene);
        },
      },
      {
        when: 'a form without its token',
        as: 'session',
        send: async ({ caller }) => {
          await letIn(caller, id);
          return {
            bare: true,
            raw: 'csrf_token=none',
            headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: caller.origin },
          };
        },
        status: 403,
        code: 'CSRF',
        then: stays,
      },
    ] satisfies Row[],
  };
};

/** The page is only shown to people who come by a link. */
async function asFormOf(scene: Scene, id: ServiceId) {
  const { caller } = scene;
  const page = await caller.get(`/api/${id}/logout`, { bare: true });
  const token = /name="csrf_token" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const { headers } = await asForm('/api/login', {})(scene);
  return { bare: true, raw: new URLSearchParams({ csrf_token: token }).toString(), headers: headers ?? {} };
}

const zoom = of('zoom');
const webex = of('webex');

export default {
  'GET /api/login/zoom': zoom.authorize,
  'GET /api/login/zoom/callback': zoom.callback,
  'GET /api/zoom/recordings': [
    {
      when: 'let in: what can be imported',
      as: 'session',
      query: '?from=2026-01-01&to=2026-01-31',
      send: zoom.known,
      status: 200,
      then: ({ body }) =>
        expect(body).toEqual({
          from: '2026-01-01',
          to: '2026-01-31',
          page_size: 100,
          meetings: [
            {
              uuid: 'there',
              topic: 'Weekly',
              start_time: '2026-01-05T10:00:00Z',
              recording_files: [
                {
                  id: 'file',
                  file_type: 'MP4',
                  recording_type: 'active_speaker',
                  recording_start: '2026-01-05T10:00:00Z',
                  recording_end: '2026-01-05T10:01:30Z',
                  duration: 90,
                  play_url: null,
                },
              ],
            },
          ],
        }),
    },
    { when: 'no window is named: the last month', as: 'session', send: zoom.known, status: 200 },
    ...zoom.refused,
    ...['page_size=0', 'page_size=301', 'page_size=1e2', 'from=2025-01-01&to=2026-01-01'].map((query): Row => ({
      when: query,
      as: 'session',
      query: `?${query}`,
      status: 422,
      code: 'INVALID',
    })),
  ],
  'GET /api/zoom/logout': zoom.getLogout,
  'POST /api/zoom/logout': zoom.postLogout,
  'GET /api/login/webex': webex.authorize,
  'GET /api/login/webex/callback': webex.callback,
  'GET /api/webex/recordings': [
    {
      when: 'let in, whenever it was',
      as: 'session',
      send: webex.known,
      status: 200,
      then: ({ body }) =>
        expect(body).toEqual({
          items: [
            {
              id: 'there',
              topic: 'Weekly',
              createTime: '2026-01-05T10:00:00Z',
              durationSeconds: 90,
              format: 'MP4',
            },
          ],
        }),
    },
    ...webex.refused,
    ...['max=0', 'max=101'].map((query): Row => ({
      when: query,
      as: 'session',
      query: `?${query}`,
      status: 422,
      code: 'INVALID',
    })),
  ],
  'GET /api/webex/logout': webex.getLogout,
  'POST /api/webex/logout': webex.postLogout,
} satisfies Table;
