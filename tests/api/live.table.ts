import { expect } from 'vitest';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Answer } from '#tests/support/people.ts';
import type { Scene, Table } from '#tests/support/table.ts';

const own = async ({ house, caller }: Scene) => ({ room: `${await makeMeeting(house, caller)}/transcript` });
const aTicket = ({ body }: Answer) => expect(body).toEqual({ ticket: expect.any(String) });

export default {
  'POST /api/sync/tickets': [
    { when: 'a room of one’s own meeting', as: 'session', body: own, status: 200, then: aTicket },
    {
      when: 'a shared link, and not signed in',
      body: async ({ house, person }: Scene) => {
        const meeting = await makeMeeting(house, await person());
        await share(house, meeting, 'anonymous', ['read']);
        return { room: `${meeting}/transcript` };
      },
      status: 200,
      then: aTicket,
    },
    {
      when: 'a meeting of another person',
      as: 'session',
      body: async ({ house, person }: Scene) => ({ room: `${await makeMeeting(house, await person())}/transcript` }),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'a meeting that does not exist: the same',
      as: 'session',
      body: { room: 'nothing/transcript' },
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'no room', as: 'session', body: { room: '' }, status: 422, code: 'INVALID', fields: { room: 'required' } },
  ],
} satisfies Table;
