import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { addMedium } from '#server/media/media.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import { makeRecording } from '#tests/support/recording.ts';
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

const made = new WeakMap<Person, string>();
/** The demo recording, with one word just corrected. */
const corrected = async (scene: Scene, owner = scene.caller): Promise<{ id: string }> => {
  const id = await makeRecording(scene.house, owner);
  made.set(owner, id);
  const { body } = await owner.get(`/api/meetings/${id}`);
  const { version, doc } = body as { version: number; doc: { transcript: { segments: { text: string }[] } } };
  const pos = doc.transcript.segments.findIndex(({ text }) => text.includes('conversion'));
  const old = doc.transcript.segments[pos]?.text ?? '';
  const edit = { pos, old, new: old.replace('conversion', 'conversation about <money> & time'), version };
  expect((await owner.post(`/api/meetings/${id}/edit`, edit)).status).toBe(200);
  return { id };
};

export default {
  'GET /api/meetings/:id/vtt': [
    {
      when: 'what the text says now',
      as: 'session',
      params: corrected,
      status: 200,
      then: async ({ text, headers: got }: Answer, { caller }) => {
        const path = `/api/meetings/${made.get(caller)}/vtt`;
        expect(got.get('content-type')).toBe('text/vtt; charset=utf-8');
        expect(text).toMatch(/^WEBVTT\n\n1\n00:00:00\.460 --> 00:00:0\d\.\d{3}\n<v Moderator>Good morning/);
        expect(text).toContain('conversation about &lt;money&gt; &amp; time');
        expect(text).not.toContain('conversion');
        const meeting = await caller.get(path.replace('/vtt', ''));
        expect((meeting.body as { vtt: string }).vtt).toBe(path);
      },
    },
    {
      when: 'the caller has just that',
      as: 'session',
      params: corrected,
      send: async ({ caller }: Scene) => {
        const { headers: got } = await caller.get(`/api/meetings/${made.get(caller)}/vtt`);
        return headers({ 'If-None-Match': got.get('etag') ?? '' });
      },
      status: 304,
      then: ({ text }: Answer) => expect(text).toBe(''),
    },
    { when: 'by an API token', as: 'token', params: corrected, status: 200 },
    {
      when: 'a shared link, and not signed in',
      params: async (scene: Scene) => {
        const found = await recorded(scene, await scene.person());
        await share(scene.house, found.id, 'anonymous', ['read']);
        return { id: found.id };
      },
      status: 200,
      then: ({ text }: Answer) => expect(text).toBe('WEBVTT\n'),
    },
    {
      when: 'a meeting of another person',
      as: 'session',
      params: async (scene: Scene) => ({ id: (await recorded(scene, await scene.person())).id }),
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'no such meeting: the same', as: 'session', status: 403, code: 'NO_ACCESS' },
  ],
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
      when: 'a shared link, and not signed in',
      params: async (scene: Scene) => {
        const found = await recorded(scene, await scene.person());
        await share(scene.house, found.id, 'anonymous', ['read']);
        return found;
      },
      status: 200,
    },
    {
      when: 'a meeting of another person',
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
