import { expect } from 'vitest';
import type { Scene, Table } from '#tests/support/table.ts';

/** Calls directly from this machine, without a proxy, after a request for a mail. */
const withMail = async ({ caller, person }: Scene) => {
  const ann = await person();
  caller.email = ann.email;
  await ann.post('/api/reset', { email: ann.email });
  caller.address = null;
};
const direct = ({ caller }: Scene) => {
  caller.address = null;
};

export default {
  'GET /api/outbox': [
    {
      when: 'a request of this machine for the mails to an address',
      query: async (scene) => {
        await withMail(scene);
        return `?to=${scene.caller.email}`;
      },
      status: 200,
      then: ({ body }, { caller }) =>
        expect(body).toEqual([
          {
            id: expect.any(String),
            to: caller.email,
            subject: 'Choose a new password',
            text: expect.stringContaining('/reset/'),
            html: expect.stringContaining('/reset/'),
            at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
          },
        ]),
    },
    {
      when: 'they ask for all of them: the newest first',
      query: async (scene) => {
        await withMail(scene);
        return '';
      },
      status: 200,
      then: ({ body }, { caller }) => expect(body[0]).toMatchObject({ to: caller.email }),
    },
    {
      when: 'there is none',
      body: direct,
      query: '?to=nobody@example.test',
      status: 200,
      then: ({ body }) => expect(body).toEqual([]),
    },
    { when: 'the request came through a proxy', status: 404, code: 'NOT_FOUND' },
    {
      when: 'no mail could have that address',
      body: direct,
      query: `?to=${'a'.repeat(255)}`,
      status: 422,
      code: 'INVALID',
      fields: { to: 'too_long' },
    },
  ],
} satisfies Table;
