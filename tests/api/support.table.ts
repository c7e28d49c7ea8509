import { desc } from 'drizzle-orm';
import { expect } from 'vitest';
import { feedback } from '#db/schema/accounts.ts';
import { rules } from '#server/limits.ts';
import type { Scene, Table } from '#tests/support/table.ts';

const latest = async ({ house }: Scene) =>
  (await house.database.orm.select().from(feedback).orderBy(desc(feedback.at)).limit(1))[0];
const logged = ({ house }: Scene, requestId: string | null) => {
  const lines = house.log().trimEnd().split('\n');
  const line = lines.find((one) => one.includes('"from a page"') && one.includes(requestId ?? 'none'));
  return { line, said: line && (JSON.parse(line) as { said: string; person: string | null }) };
};

export default {
  'GET /api/feedback': [
    {
      when: 'mails stay on this machine, where its outbox shows them',
      status: 200,
      then: ({ body }) => expect(body).toEqual({ isRead: true, chat: null }),
    },
  ],

  'POST /api/feedback/chat': [
    {
      when: 'a session that is none',
      body: { messages: [{ role: 'user', content: 'How?' }] },
      status: 401,
      code: 'UNAUTH',
    },
    ...(
      [
        [{}, { messages: 'invalid' }],
        [{ messages: [] }, { messages: 'required' }],
        [{ messages: [{ role: 'assistant', content: 'x' }] }, { messages: 'required' }],
        [{ messages: [{ role: 'system', content: 'x' }] }, { 'messages.0.role': 'invalid' }],
        [{ messages: [{ role: 'user', content: 'x'.repeat(4001) }] }, { messages: 'too_long' }],
      ] as [object, Record<string, string>][]
    ).map(([body, fields]) => ({
      when: `what is asked is wrong: ${JSON.stringify(body).slice(0, 60)}`,
      as: 'session' as const,
      body,
      status: 422,
      code: 'INVALID' as const,
      fields,
    })),
    {
      when: 'people answer here, and no model',
      as: 'session',
      body: { messages: [{ role: 'user', content: 'How?' }] },
      status: 404,
      code: 'NOT_FOUND',
    },
  ],

  'POST /api/feedback': [
    {
      when: 'not signed in: the contact is the typed one',
      body: { contact: 'dana@example.test', text: 'It works.' },
      status: 204,
      then: async (_, scene) =>
        expect(await latest(scene)).toMatchObject({ userId: null, contact: 'dana@example.test', text: 'It works.' }),
    },
    {
      when: 'no contact is given',
      body: { text: 'Hello' },
      status: 204,
      then: async (_, scene) => expect(await latest(scene)).toMatchObject({ contact: null, text: 'Hello' }),
    },
    {
      when: 'signed in: the contact is their own address, not the typed one',
      as: 'session',
      body: { contact: 'somebody-else@example.test', text: 'Hello' },
      status: 204,
      then: async (_, scene) =>
        expect(await latest(scene)).toMatchObject({
          userId: scene.caller.id,
          contact: scene.caller.email,
          text: 'Hello',
        }),
    },
    { when: 'by a program', as: 'token', body: { text: 'Hello' }, status: 204 },
    {
      when: 'the page it was written on had a secret in its address',
      body: { text: 'Page: https://colloquy.example/reset/canary-token?x=canary-query Browser: x' },
      status: 204,
      then: async (_, scene) =>
        expect((await latest(scene))?.text).toBe('Page: https://colloquy.example/reset/… Browser: x'),
    },
    {
      when: 'there is nothing in it',
      body: { text: ' \n ' },
      status: 422,
      code: 'INVALID',
      fields: { text: 'required' },
    },
    { when: 'it is no text', body: { text: ['x'] }, status: 422, code: 'INVALID', fields: { text: 'required' } },
    {
      when: 'it is a book',
      body: { text: 'x'.repeat(10_001) },
      status: 422,
      code: 'INVALID',
      fields: { text: 'too_long' },
    },
    {
      when: 'the contact is no address',
      body: { text: 'x', contact: `${'x'.repeat(250)}@example.test` },
      status: 422,
      code: 'INVALID',
      fields: { contact: 'too_long' },
    },
    {
      when: 'it comes from another site',
      body: { text: 'x' },
      send: { headers: { Origin: 'https://evil.example' } },
      status: 403,
      code: 'CSRF',
    },
    {
      when: 'it is a form',
      send: { raw: 'text=x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      status: 415,
      code: 'TYPE',
    },
    {
      when: 'it is larger than any',
      send: { raw: `{"text":"${'x'.repeat(300_000)}"}`, headers: { 'Content-Type': 'application/json' } },
      status: 413,
      code: 'BIG',
    },
    {
      when: 'the tenth in an hour was the last',
      body: async ({ caller, exhaust }: Scene) => {
        await exhaust(rules.feedback, caller.address ?? '');
        return { text: 'x' };
      },
      status: 429,
      code: 'RATE',
    },
  ],

  'POST /api/logs': [
    {
      when: 'a page is in trouble',
      body: { message: 'TypeError at https://colloquy.example/meeting/5?access_code=canary-code' },
      status: 204,
      then: ({ headers }, scene) => {
        const { line, said } = logged(scene, headers.get('x-request-id'));
        expect(said).toMatchObject({
          said: 'TypeError at https://colloquy.example/meeting/5',
          person: null,
          level: 'warn',
        });
        expect(line).not.toContain('canary');
      },
    },
    // H13 of the attacks.
    {
      when: 'it tries to be several lines, or to colour them',
      as: 'session',
      body: { message: 'a\n{"level":"fatal","msg":"fake"}\r\u001b[31mred\u009b2J\u2028end' },
      status: 204,
      then: ({ headers }, scene) => {
        const { line, said } = logged(scene, headers.get('x-request-id'));
        expect(said).toMatchObject({
          said: 'a\\u{a}{"level":"fatal","msg":"fake"}\\u{d}\\u{1b}[31mred\\u{9b}2J\\u{2028}end',
          person: scene.caller.id,
        });
        expect(line).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      },
    },
    { when: 'it is empty', body: { message: '' }, status: 422, code: 'INVALID', fields: { message: 'required' } },
    {
      when: 'it is no text',
      body: { message: { $ne: null } },
      status: 422,
      code: 'INVALID',
      fields: { message: 'required' },
    },
    {
      when: 'it is longer than 4 kB',
      body: { message: 'x'.repeat(4097) },
      status: 422,
      code: 'INVALID',
      fields: { message: 'too_long' },
    },
    {
      when: 'it comes from another site',
      body: { message: 'x' },
      send: { headers: { 'Sec-Fetch-Site': 'cross-site' } },
      status: 403,
      code: 'CSRF',
    },
    {
      when: 'it is a form',
      send: { raw: 'message=x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
      status: 415,
      code: 'TYPE',
    },
    {
      when: 'it is larger than any',
      send: { raw: `{"message":"${'x'.repeat(40_000)}"}`, headers: { 'Content-Type': 'application/json' } },
      status: 413,
      code: 'BIG',
    },
    {
      when: 'not signed in, after five in a minute',
      body: async ({ caller, exhaust }: Scene) => {
        await exhaust(rules.logsAnonymous, caller.address ?? '');
        return { message: 'x' };
      },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'signed in, after thirty in a minute',
      as: 'session',
      body: async ({ caller, exhaust }: Scene) => {
        await exhaust(rules.logs, caller.id);
        return { message: 'x' };
      },
      status: 429,
      code: 'RATE',
    },
  ],
} satisfies Table;
