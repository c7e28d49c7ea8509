import { expect } from 'vitest';
import { attachmentBytes, longestVoiceMs } from '#shared/attachments.ts';
import { newId } from '#shared/ids.ts';
import type { Permission } from '#shared/roles.ts';
import { multipart, type FilePart } from '#tests/support/intake.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Answer, CallOptions, Person } from '#tests/support/people.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';
import { sendFile } from '#tests/support/files.ts';
import { sendVoice, spoken } from '#tests/support/voice.ts';
import { rules } from '#server/limits.ts';

// Permissions to send voice notes, and accepted files. Who may hear them is in attachments.test.ts.

const own = async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) });
const withRight =
  (...permissions: Permission[]) =>
  async ({ house, caller, person }: Scene) => {
    const id = await makeMeeting(house, await person());
    if (permissions.length > 0) await share(house, id, caller, permissions);
    return { id };
  };
const voice = (content: FilePart['content'] = spoken(), type = 'vnote', fileName = 'voice.mp3') =>
  multipart({ file: { fileName, content }, type });
/** The same form, with each of its parts twice. */
const twice = ({ raw, headers = {} }: CallOptions): CallOptions => {
  const one = Buffer.from(raw as Uint8Array);
  const parts = one.subarray(0, one.lastIndexOf(one.subarray(0, one.indexOf('\r\n'))));
  return { raw: new Uint8Array(Buffer.concat([parts, one])), headers };
};
const closed = (more: Partial<Row>): Row[] => [
  { when: 'not signed in', ...more, status: 401, code: 'UNAUTH' },
  { when: 'a meeting of another person', as: 'session', params: withRight(), ...more, status: 403, code: 'NO_ACCESS' },
  { when: 'no such meeting: the same', as: 'session', ...more, status: 403, code: 'NO_ACCESS' },
];
const refused = (when: string, content: FilePart['content'], fileName = 'voice.mp3'): Row => ({
  when,
  as: 'session',
  params: own,
  send: voice(content, 'vnote', fileName),
  status: 415,
  code: 'TYPE',
});

/** One's own, and where. */
const sent = async (scene: Scene, by: Person = scene.caller) => {
  const id = await makeMeeting(scene.house, by);
  const url = await sendVoice(by, id);
  return { id, attachmentId: url.split('/').at(-1) ?? '', url };
};
const before = new WeakMap<Person, { id: string; url: string }>();
/** Creates the object that the body names; the path follows from it. */
const naming = (make: (scene: Scene) => Promise<{ id: string; url: string }>): Pick<Row, 'body' | 'params'> => ({
  body: async (scene: Scene) => {
    const made = await make(scene);
    before.set(scene.caller, made);
    return { url: made.url };
  },
  params: ({ caller }) => Promise.resolve({ id: before.get(caller)?.id ?? 'nothing' }),
});
const page = '<!doctype html><script>alert(1)</script>';

export default {
  'POST /api/meetings/:id/attachment': [
    ...closed({ send: voice() }),
    {
      when: 'a voice',
      as: 'session',
      params: own,
      send: voice(),
      status: 200,
      then: ({ body }: Answer) =>
        expect(body).toEqual({ url: expect.stringMatching(/^\/api\/meetings\/\w+\/attachments\/\w{22}$/) }),
    },
    { when: 'by one who may only read', as: 'session', params: withRight('read'), send: voice(), status: 200 },
    { when: 'by an API token', as: 'token', params: own, send: voice(), status: 200 },
    {
      when: 'nothing is said of what it is for',
      as: 'session',
      params: own,
      send: multipart({ file: { fileName: '', content: spoken() } }),
      status: 200,
    },
    { when: 'no form', as: 'session', params: own, body: {}, status: 415, code: 'TYPE' },
    {
      when: 'a form that breaks off',
      as: 'session',
      params: own,
      send: { ...voice(), raw: Uint8Array.from(voice().raw as Uint8Array).subarray(0, 1000) },
      status: 400,
      code: 'BAD_REQUEST',
    },
    refused('a page called a sound', page),
    refused('a page with a sound behind it', Buffer.concat([Buffer.from(page), spoken()])),
    refused('a picture that may act', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'voice.mp3'),
    refused('a program', Buffer.concat([Buffer.from('\x7fELF'), Buffer.alloc(2000)]), 'voice.mp3'),
    refused(
      'a head and nothing that sounds',
      Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'), Buffer.from(page)]),
    ),
    {
      when: 'no file',
      as: 'session',
      params: own,
      send: multipart({ type: 'vnote' }),
      status: 422,
      code: 'INVALID',
      fields: { file: 'required' },
    },
    {
      when: 'an empty file',
      as: 'session',
      params: own,
      send: voice(''),
      status: 422,
      code: 'INVALID',
      fields: { file: 'file_empty' },
    },
    {
      when: 'two files',
      as: 'session',
      params: own,
      send: () => Promise.resolve(twice(voice())),
      status: 422,
      code: 'INVALID',
      fields: { file: 'duplicate_key' },
    },
    {
      when: 'something it is not for',
      as: 'session',
      params: own,
      send: voice(spoken(), 'picture'),
      status: 422,
      code: 'INVALID',
      fields: { type: 'invalid' },
    },
    {
      when: 'a recorded voice note that is too long',
      as: 'session',
      params: own,
      send: voice(spoken(longestVoiceMs / 1000 + 1)),
      status: 422,
      code: 'INVALID',
      fields: { file: 'too_long_voice' },
    },
    {
      when: 'more bytes than a voice has',
      as: 'session',
      params: own,
      send: () => Promise.resolve(voice(new Uint8Array(attachmentBytes + 1))),
      status: 413,
      code: 'BIG',
    },
    {
      when: 'more of them than one sends in an hour',
      as: 'session',
      params: own,
      send: async ({ caller, exhaust }: Scene) => {
        await exhaust(rules.attachments, caller.id);
        return voice();
      },
      status: 429,
      code: 'RATE',
    },
  ],
  'POST /api/meetings/:id/delete-attachment': [
    ...closed({ body: { url: '/api/meetings/nothing/attachments/nothing' } }),
    {
      when: 'one’s own that no item carries',
      as: 'session',
      ...naming(sent),
      status: 204,
      then: async (_: Answer, { caller }: Scene) => {
        expect((await caller.get(before.get(caller)?.url ?? '')).status).toBe(404);
      },
    },
    {
      when: 'an item carries it',
      as: 'session',
      ...naming(async (scene) => {
        const made = await sent(scene);
        const comment = { start: 1, end: 2, url: made.url };
        expect((await scene.caller.post(`/api/meetings/${made.id}/comments`, comment)).status).toBe(200);
        return made;
      }),
      status: 409,
      code: 'CONFLICT',
      then: async (_: Answer, { caller }: Scene) => {
        expect((await caller.get(before.get(caller)?.url ?? '')).status).toBe(200);
      },
    },
    {
      when: 'another person’s, in a meeting of both',
      as: 'session',
      ...naming(async (scene) => {
        const made = await sent(scene, await scene.person());
        await share(scene.house, made.id, scene.caller, ['read', 'comment', 'write', 'own']);
        return made;
      }),
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      when: 'one’s own of another meeting',
      as: 'session',
      ...naming(async (scene) => ({ ...(await sent(scene)), ...(await own(scene)) })),
      status: 404,
      code: 'NOT_FOUND',
      then: async (_: Answer, { caller }: Scene) => {
        expect((await caller.get(before.get(caller)?.url ?? '')).status).toBe(200);
      },
    },
    {
      when: 'no address',
      as: 'session',
      params: own,
      body: {},
      status: 422,
      code: 'INVALID',
      fields: { url: 'required' },
    },
    {
      when: 'an address of something else',
      as: 'session',
      params: own,
      body: { url: '/etc/passwd' },
      status: 404,
      code: 'NOT_FOUND',
    },
  ],
  'GET /api/meetings/:id/attachments': [
    {
      when: 'files beside the recording, to a reader',
      as: 'session',
      params: async (scene: Scene) => {
        const ann = await scene.person();
        const id = await makeMeeting(scene.house, ann);
        await sendFile(ann, id, { name: 'Plan.txt', content: 'Monday' });
        await share(scene.house, id, scene.caller, ['read']);
        return { id };
      },
      status: 200,
      then: ({ body }: Answer) =>
        expect(body.files).toEqual([
          {
            id: expect.stringMatching(/^\w{22}$/),
            url: expect.stringContaining('/attachments/'),
            name: 'Plan.txt',
            type: 'text/plain',
            bytes: 6,
            by: { id: expect.any(String), name: 'Ben Test' },
            at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
            comment: null,
          },
        ]),
    },
    { when: 'a meeting of another person', as: 'session', params: withRight(), status: 403, code: 'NO_ACCESS' },
    { ...unknownParameter, params: own },
  ],
  'POST /api/meetings/:id/attachments/:attachmentId/restore': [
    {
      when: 'a file that was deleted',
      as: 'session',
      params: async (scene: Scene) => {
        const id = await makeMeeting(scene.house, scene.caller);
        const url = await sendFile(scene.caller, id);
        before.set(scene.caller, { id, url });
        await scene.caller.post(`/api/meetings/${id}/delete-attachment`, { url });
        return { id, attachmentId: url.split('/').at(-1) ?? '' };
      },
      status: 204,
      then: async (_: Answer, { caller }: Scene) =>
        expect((await caller.get(before.get(caller)?.url ?? '')).status).toBe(200),
    },
    { when: 'a voice note', as: 'session', params: sent, status: 404, code: 'NOT_FOUND' },
    { when: 'not signed in', status: 401, code: 'UNAUTH' },
    { when: 'no such meeting', as: 'session', status: 403, code: 'NO_ACCESS' },
  ],
  'GET /api/meetings/:id/attachments/:attachmentId': [
    {
      when: 'one’s own',
      as: 'session',
      params: sent,
      status: 200,
      then: ({ bytes, headers: got }: Answer) => {
        expect(Buffer.from(bytes).equals(spoken())).toBe(true);
        expect(got.get('content-type')).toBe('audio/mpeg');
        expect(got.get('content-disposition')).toBe('attachment');
        expect(got.get('x-content-type-options')).toBe('nosniff');
        expect(got.get('content-security-policy')).toMatch(/default-src 'none'; sandbox;/);
        expect(got.get('accept-ranges')).toBe('bytes');
        expect(got.get('cache-control')).toContain('private');
      },
    },
    { when: 'by an API token', as: 'token', params: sent, status: 200 },
    {
      when: 'a range of it',
      as: 'session',
      params: sent,
      send: { headers: { Range: 'bytes=4-8' } },
      status: 206,
      then: ({ bytes, headers: got }: Answer) => {
        expect(Buffer.from(bytes).equals(spoken().subarray(4, 9))).toBe(true);
        expect(got.get('content-range')).toBe(`bytes 4-8/${spoken().length}`);
      },
    },
    {
      when: 'a range beyond its end',
      as: 'session',
      params: sent,
      send: { headers: { Range: 'bytes=100000000-' } },
      status: 416,
      code: 'RANGE',
    },
    {
      when: 'more ranges than one: the whole of it',
      as: 'session',
      params: sent,
      send: { headers: { Range: `bytes=${Array.from({ length: 500 }, (_, i) => `${i}-${i}`).join(',')}` } },
      status: 200,
    },
    {
      when: 'it is known already',
      as: 'session',
      params: sent,
      send: { headers: { 'If-None-Match': '*' } },
      status: 304,
    },
    {
      when: 'another person’s without an annotation, in one’s own meeting',
      as: 'session',
      params: async (scene: Scene) => {
        const guest = await scene.person();
        const id = await makeMeeting(scene.house, scene.caller);
        await share(scene.house, id, guest, ['read']);
        return { id, attachmentId: (await sendVoice(guest, id)).split('/').at(-1) ?? '' };
      },
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      when: 'a meeting of another person',
      as: 'session',
      params: async (scene: Scene) => sent(scene, await scene.person()),
      status: 403,
      code: 'NO_ACCESS',
    },
    { when: 'no such meeting: the same', as: 'session', status: 403, code: 'NO_ACCESS' },
    {
      when: 'not signed in',
      params: async (scene: Scene) => sent(scene, await scene.person()),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'no such voice',
      as: 'session',
      params: async (scene: Scene) => ({ ...(await own(scene)), attachmentId: newId() }),
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      when: 'a path out of there',
      as: 'session',
      params: async (scene: Scene) => ({ ...(await own(scene)), attachmentId: '../../../../etc/passwd' }),
      status: 404,
      code: 'NOT_FOUND',
    },
    {
      when: 'one of a meeting, asked for in another',
      as: 'session',
      params: async (scene: Scene) => ({ ...(await sent(scene)), ...(await own(scene)) }),
      status: 404,
      code: 'NOT_FOUND',
    },
  ],
} satisfies Table;
