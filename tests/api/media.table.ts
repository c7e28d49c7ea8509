import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { addMedium } from '#server/meetings/media.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import type { Scene, Table } from '#tests/support/table.ts';

const content = 'Not quite a song, but bytes all the same.';

async function recorded({ house }: Scene, owner: Person): Promise<{ id: string; mediaId: string }> {
  const id = await makeMeeting(house, owner);
  const about = { tag: 'audio', name: 'talk.mp3', type: 'audio/mpeg', durationMs: 1000 } as const;
  const { id: mediaId } = await addMedium(house.house, id, about, Readable.from([Buffer.from(content)]));
  return { id, mediaId };
}
const own = (scene: Scene) => recorded(scene, scene.caller);
const headers = (fields: Record<string, string>) => ({ headers: fields });

export default {
  'GET /api/meetings/:id/media/:mediaId': [
    {
      when: 'one’s own recording',
      as: 'session',
      params: own,
      status: 200,
      then: ({ text, headers: got }: Answer) => {
        expect(text).toBe(content);
        expect(got.get('accept-ranges')).toBe('bytes');
        expect(got.get('content-type')).toBe('audio/mpeg');
        expect(got.get('content-security-policy')).toContain('sandbox');
      },
    },
    { when: 'by an API token', as: 'token', params: own, status: 200 },
    {
      when: 'a range of it',
      as: 'session',
      params: own,
      send: headers({ Range: 'bytes=4-8' }),
      status: 206,
      then: ({ text, headers: got }: Answer) => {
        expect(text).toBe(content.slice(4, 9));
        expect(got.get('content-range')).toBe(`bytes 4-8/${content.length}`);
      },
    },
    {
      when: 'a range beyond its end',
      as: 'session',
      params: own,
      send: headers({ Range: 'bytes=1000-' }),
      status: 416,
      code: 'RANGE',
      then: ({ headers: got }: Answer) => expect(got.get('content-range')).toBe(`bytes */${content.length}`),
    },
    {
      when: 'a range of what it once was: the whole of it',
      as: 'session',
      params: own,
      send: headers({ Range: 'bytes=4-8', 'If-Range': '"another"' }),
      status: 200,
    },
    { when: 'it is known already', as: 'session', params: own, send: headers({ 'If-None-Match': '*' }), status: 304 },
    {
      when: 'a shared link, and nobody is signed in',
      params: async (scene: Scene) => {
        const found = await recorded(scene, await scene.person());
        await share(scene.house, found.id, 'anonymous', ['read']);
        return found;
      },
      status: 200,
    },
    {
      when: 'a meeting of somebody else',
      as: 'session',
      params: async (scene: Scene) => recorded(scene, await scene.person()),
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'no such meeting: the same', as: 'session', status: 403, code: 'NO_ACCESS' },
    {
      when: 'no such recording',
      as: 'session',
      params: async (scene: Scene) => ({ id: (await own(scene)).id }),
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      when: 'a recording of one meeting, asked for in another',
      as: 'session',
      params: async (scene: Scene) => ({
        id: await makeMeeting(scene.house, scene.caller),
        mediaId: (await recorded(scene, await scene.person())).mediaId,
      }),
      status: 404,
      code: 'NOT_FOUND',
    },
  ],
} satisfies Table;
