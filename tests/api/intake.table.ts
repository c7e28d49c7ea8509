import { expect } from 'vitest';
import { rules } from '#server/limits.ts';
import { uploadLimits } from '#server/intake/uploads.ts';
import { notTaken } from '#server/outside/store.ts';
import { trialMinutes } from '#shared/billing.ts';
import {
  fileLimits,
  intakeFailures,
  type CreatedView,
  type LanguagesView,
  type PartView,
  type TranscribeInfo,
} from '#shared/intake.ts';
import type { ServiceId } from '#shared/meeting-services.ts';
import {
  beginProcessing,
  createMeeting,
  external,
  fillReadingQueue,
  multipart,
  processed,
  sendFile,
  tone,
  zoomTranscript,
} from '#tests/support/intake.ts';
import { setFreeMinutes } from '#tests/support/billing.ts';
import { makeMeeting, share } from '#tests/support/meetings.ts';
import type { Answer, Person } from '#tests/support/people.ts';
import { letIn, offOnce } from '#tests/support/scripted-services.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

const file = { fileName: 'talk.wav', contentLength: 1000 };
const srtTranscript = '1\n00:00:01,000 --> 00:00:02,000\nAnn: Hello.\n\n2\n00:00:03,000 --> 00:00:04,000\nBen: Yes.\n';
/** A transcript of Otter with a paragraph that begins before the one above it. */
const backwards = {
  fileName: 'talk.txt',
  content: 'Ann  0:10  \nShall we start?\n\nBen  0:05  \nYes.\n\nAnn  0:20  \nThen the goal first.\n',
};

async function begun(person: Person): Promise<{ id: string }> {
  return { id: ((await person.post('/api/multipart-uploads', file)).body as PartView).uploadId };
}
const mine = async ({ caller }: Scene) => begun(caller);
const another = async (scene: Scene) => begun(await scene.person());
/** All of it was sent, and the store does not take it as it came. */
async function tooSmall({ house, caller }: Scene): Promise<{ id: string }> {
  const { uploadId, url } = (await caller.post('/api/multipart-uploads', file)).body as PartView;
  expect((await fetch(url, { method: 'PUT', body: new Uint8Array(file.contentLength) })).status).toBe(200);
  const { store } = house.house;
  const { complete } = store;
  store.complete = async () => {
    store.complete = complete;
    throw notTaken('EntityTooSmall');
  };
  return { id: uploadId };
}
const tooSmallSaid = ({ problem }: Answer) => {
  expect(problem.message).toContain('EntityTooSmall');
  expect(problem.info['reason']).toBe('EntityTooSmall');
};

/** Wrong announcements of a file: the catalogue's J01 and J02, for both ways of sending. */
const announced: Row[] = [
  ...[0, -1].map((contentLength): Row => ({
    when: `J01: ${contentLength} bytes`,
    as: 'session',
    body: { ...file, contentLength },
    status: 422,
    code: 'INVALID',
    fields: { contentLength: 'file_empty' },
  })),
  {
    when: 'J01: one byte more than there may be',
    as: 'session',
    body: { ...file, contentLength: fileLimits.mostBytes + 1 },
    status: 422,
    code: 'INVALID',
    fields: { contentLength: 'file_large' },
  },
  {
    when: 'J01: as many bytes as there may be',
    as: 'session',
    body: { ...file, contentLength: fileLimits.mostBytes },
    status: 200,
  },
  ...['1e9', null, 1.5].map((contentLength): Row => ({
    when: `J01: ${JSON.stringify(contentLength)} bytes`,
    as: 'session',
    body: { ...file, contentLength },
    status: 422,
    code: 'INVALID',
  })),
  ...['a.mp4.exe', 'a.php', '.mp4', 'x.svg', 'mp4', 'a.mp4/', ''].map((fileName): Row => ({
    when: `J02: a file called ${fileName || 'nothing'}`,
    as: 'session',
    body: { ...file, fileName },
    status: 422,
    code: 'INVALID',
  })),
  ...['UPPER.MP4', '../x.mp4', `${'long'.repeat(75)}.mp3`, 'Interview (2).M4A', '会议.wav'].map((fileName): Row => ({
    when: `J02: a file called ${fileName.slice(0, 20)}`,
    as: 'session',
    body: { ...file, fileName },
    status: 200,
  })),
  {
    when: 'J02: a name with U+0000',
    as: 'session',
    body: { ...file, fileName: 'a.mp4\0.txt' },
    status: 422,
    code: 'INVALID',
  },
  {
    when: 'J06: as many bytes were announced within the hour as may be',
    as: 'session',
    body: async ({ caller }: Scene) => {
      for (let i = 0; i < 2; i += 1)
        expect(
          (await caller.post('/api/multipart-uploads', { ...file, contentLength: fileLimits.mostBytes })).status,
        ).toBe(200);
      return file;
    },
    status: 429,
    code: 'RATE',
  },
  {
    when: 'J06: as many uploads are open as may be',
    as: 'session',
    body: async ({ caller }: Scene) => {
      for (let i = 0; i < uploadLimits.open; i += 1) await begun(caller);
      return file;
    },
    status: 429,
    code: 'RATE',
  },
];

const created = async ({ caller }: Scene) => ({ id: (await createMeeting(caller)).id });
/** A meeting of another person, with this role for the caller. */
const shared =
  (permissions: readonly ('read' | 'write')[]) =>
  async (scene: Scene): Promise<{ id: string }> => {
    const owner = await scene.person();
    const id = await makeMeeting(scene.house, owner);
    await share(scene.house, id, scene.caller, permissions);
    return { id };
  };
const foreign = async (scene: Scene) => ({ id: await makeMeeting(scene.house, await scene.person()) });
const plain = async ({ house, caller }: Scene) => ({ id: await makeMeeting(house, caller) });

const noAccess = (params: Row['params'], more: Partial<Row> = {}): Row => ({
  when: 'a meeting of another person',
  as: 'session',
  ...(params ? { params } : {}),
  status: 403,
  code: 'NO_ACCESS',
  ...more,
});
const notOurs = (more: Partial<Row>): Row[] => [
  noAccess(foreign, more),
  noAccess(undefined, { ...more, when: 'no such meeting: the same' }),
];

const zoomThere = { zoomMeetingId: 'there', zoomRecordingFileId: 'file' };
const webexThere = { webexMeetingId: 'there', webexFileType: 'MP4' };
/** A form that names a recording of another service, by a person who has given us access there. */
const naming =
  (fields: Record<string, string>, service: ServiceId | null = 'zoom', first: (scene: Scene) => unknown = () => {}) =>
  async (scene: Scene) => {
    if (service) await letIn(scene.caller, service);
    await first(scene);
    return external(fields);
  };
const imported: Row[] = [
  {
    when: 'with a recording that Zoom has: it costs what Zoom says it is long',
    as: 'session',
    send: async (scene) => {
      await letIn(scene.caller, 'zoom');
      return multipart({ model: 'trme', ...zoomThere });
    },
    status: 200,
    then: ({ body }: Answer) =>
      expect((body as CreatedView).costs).toEqual([expect.objectContaining({ freeMinutes: 0, isEnough: false })]),
  },
  { when: 'with a recording that Webex has', as: 'session', send: naming(webexThere, 'webex'), status: 200 },
  {
    when: 'of Zoom, without access',
    as: 'session',
    send: naming(zoomThere, null),
    status: 403,
    code: 'ZOOM_AUTH',
  },
  {
    when: 'of Webex, without access',
    as: 'session',
    send: naming(webexThere, 'zoom'),
    status: 403,
    code: 'WEBEX_AUTH',
  },
  {
    when: 'of Zoom, which this server is not connected to',
    as: 'session',
    send: naming(zoomThere, 'zoom', ({ house }) => offOnce(house, 'zoom', 2)),
    status: 404,
    code: 'NOT_FOUND',
  },
  {
    when: 'of Zoom, which does not answer',
    as: 'session',
    send: naming({ ...zoomThere, zoomMeetingId: 'busy' }),
    status: 502,
    code: 'UPSTREAM',
  },
  {
    when: 'a recording that Zoom has for another person, or not at all',
    as: 'session',
    send: naming({ ...zoomThere, zoomMeetingId: 'elsewhere' }),
    status: 403,
    code: 'NO_ACCESS',
  },
  {
    when: 'J06: more recordings than one may fetch within the hour',
    as: 'session',
    send: naming(zoomThere, 'zoom', ({ caller, exhaust }) => exhaust(rules.imports, caller.id)),
    status: 429,
    code: 'RATE',
  },
  {
    when: 'J01: a recording of more than 2 GB at Zoom',
    as: 'session',
    send: naming({ ...zoomThere, zoomMeetingId: 'huge' }),
    status: 413,
    code: 'BIG',
  },
  ...(
    [
      [{ zoomMeetingId: 'there' }, { zoomRecordingFileId: 'required' }],
      [{ zoomRecordingFileId: 'file' }, { zoomMeetingId: 'required' }],
      [{ webexFileType: 'MP4' }, { webexMeetingId: 'required' }],
      [{ ...webexThere, webexFileType: 'ARF' }, { webexFileType: 'invalid' }],
      [{ ...zoomThere, ...webexThere }, { webexMeetingId: 'invalid' }],
      [{ ...zoomThere, uploadId: 'x' }, { uploadId: 'invalid' }],
      [{ ...zoomThere, zoomMeetingId: 'x'.repeat(501) }, { zoomMeetingId: 'invalid' }],
    ] satisfies [Record<string, string>, Record<string, string>][]
  ).map(([given, fields]): Row => ({
    when: `of another service, named as ${Object.keys(given).join(', ')}`,
    as: 'session',
    send: external(given),
    status: 422,
    code: 'INVALID',
    fields,
  })),
];

export default {
  'GET /api/languages': [
    { ...unknownParameter, as: 'nobody' },
    {
      when: 'anybody asks',
      status: 200,
      then: ({ body }) => {
        const { languages, models, imports } = body as LanguagesView;
        expect(imports).toEqual(['zoom', 'webex']);
        expect(languages[0]).toEqual({ title: 'English (United States)', lang: 'en-US', models: ['trme', 'external'] });
        expect(models.map(({ name, price }) => [name, price])).toEqual([
          ['trme', 1.5],
          ['external', 0],
        ]);
        expect(models[1]?.languages.map(({ lang }) => lang)).toEqual(languages.map(({ lang }) => lang));
      },
    },
  ],

  'GET /api/transcribe-info': [
    {
      when: 'anybody asks: as the languages, with the trial there is',
      status: 200,
      then: async ({ body }, { caller }) => {
        const { trialMinutes: trial, freeMinutes, ...offered } = body as TranscribeInfo;
        expect([trial, freeMinutes]).toEqual([trialMinutes, 0]);
        expect(offered).toEqual((await caller.get('/api/languages')).body);
      },
    },
    {
      when: 'a person who has used some of the trial',
      as: 'session',
      query: async ({ house, caller }) => {
        await setFreeMinutes(house, caller, 31);
        return '';
      },
      status: 200,
      then: ({ body }) => expect(body).toMatchObject({ trialMinutes, freeMinutes: 31 }),
    },
    {
      when: 'a program',
      as: 'token',
      status: 200,
      then: ({ body }) => expect(body).toMatchObject({ freeMinutes: trialMinutes }),
    },
  ],

  'POST /api/multipart-uploads': [
    {
      when: 'a recording is announced',
      as: 'session',
      body: file,
      status: 200,
      then: ({ body }: Answer, { house }) => {
        const part = body as PartView;
        expect(part).toMatchObject({ offset: 0, length: 1000, headers: {}, received: 0 });
        expect(part.multipartUploadId).toBe(part.uploadId);
        // By the name the house was called by: a page may speak to no other.
        expect(new URL(part.url).origin).toBe(house.origin);
      },
    },
    { when: 'by an API token', as: 'token', body: file, status: 200 },
    ...announced,
  ],

  'POST /api/multipart-uploads/:id/next': [
    {
      when: 'nothing has arrived: the same part',
      as: 'session',
      params: mine,
      body: {},
      status: 200,
      then: ({ body }: Answer) => expect(body).toMatchObject({ offset: 0, length: 1000, received: 0 }),
    },
    {
      when: 'the digest of the part that comes: bound to it',
      as: 'session',
      params: mine,
      body: { part: { offset: 0, sha256: '0'.repeat(64) } },
      status: 200,
      then: async ({ body }: Answer) => {
        const { url, headers } = body as PartView;
        expect(Object.keys(headers)).toEqual(['x-amz-checksum-sha256']);
        const sent = await fetch(url, { method: 'PUT', body: new Uint8Array(1000), headers });
        expect([sent.status, (await sent.json()).info.errors]).toEqual([422, [{ field: 'part', code: 'checksum' }]]);
      },
    },
    {
      when: 'the name of another upload than in the path',
      as: 'session',
      params: mine,
      body: { multipartUploadId: 'nothing' },
      status: 422,
      code: 'INVALID',
      fields: { multipartUploadId: 'invalid' },
    },
    {
      when: 'the store refuses the bytes: reported with a code of its own',
      as: 'session',
      params: tooSmall,
      body: {},
      status: 409,
      code: 'CONFLICT',
      then: tooSmallSaid,
    },
    { when: 'another person’s upload (C15)', as: 'session', params: another, body: {}, status: 403, code: 'NO_ACCESS' },
    { when: 'no such upload', as: 'session', body: { multipartUploadId: 'nothing' }, status: 403, code: 'NO_ACCESS' },
    {
      when: 'a digest that is none',
      as: 'session',
      body: { multipartUploadId: 'nothing', part: { offset: 0, sha256: 'abc' } },
      status: 422,
      code: 'INVALID',
      fields: { 'part.sha256': 'invalid' },
    },
  ],

  'DELETE /api/multipart-uploads/:id': [
    { when: 'one’s own', as: 'session', params: mine, status: 204 },
    { when: 'another person’s', as: 'session', params: another, status: 403, code: 'NO_ACCESS' },
    {
      when: 'one that a meeting was made of',
      as: 'session',
      params: async ({ caller }) => {
        const id = await sendFile(caller, 'talk.wav', tone());
        await createMeeting(caller, external({ uploadId: id }));
        return { id };
      },
      status: 409,
      code: 'CONFLICT',
    },
  ],

  'POST /api/uploads': [
    {
      when: 'a recording is announced',
      as: 'session',
      body: file,
      status: 200,
      then: ({ body }: Answer) =>
        expect(body).toMatchObject({ url: expect.stringContaining('/store/files'), fields: [{ name: 'policy' }] }),
    },
    ...announced,
  ],

  'PUT /store/parts/:token': [
    {
      when: 'a token that is none',
      status: 410,
      code: 'GONE',
      send: { bare: true, raw: 'bytes' },
    },
    {
      when: 'the bytes that were announced, from anybody who has the address',
      params: async ({ person }) => {
        const { body } = await (await person()).post('/api/multipart-uploads', file);
        return { token: (body as PartView).url.split('/').at(-1) ?? '' };
      },
      send: { bare: true, raw: new Uint8Array(1000) },
      status: 200,
    },
    ...(
      [
        [999, 422, 'INVALID'],
        [1001, 413, 'BIG'],
      ] as const
    ).map(([length, status, code]): Row => ({
      when: `${length} bytes where 1000 were announced`,
      params: async ({ person }) => {
        const { body } = await (await person()).post('/api/multipart-uploads', file);
        return { token: (body as PartView).url.split('/').at(-1) ?? '' };
      },
      send: { bare: true, raw: new Uint8Array(length) },
      status,
      code,
    })),
  ],

  'POST /store/files': [
    {
      when: 'the file that was announced, with its policy',
      send: async ({ person }) => {
        const { body } = await (await person()).post('/api/uploads', file);
        return {
          bare: true,
          ...multipart({ policy: body.fields[0].value, file: { fileName: 'talk.wav', content: new Uint8Array(1000) } }),
        };
      },
      status: 204,
    },
    ...(
      [
        ['J05: a bigger file than was announced', 1001, 413, 'BIG'],
        ['a smaller one', 999, 422, 'INVALID'],
      ] as const
    ).map(([when, length, status, code]): Row => ({
      when,
      send: async ({ person }) => {
        const { body } = await (await person()).post('/api/uploads', file);
        const content = new Uint8Array(length);
        // J05: nothing beside the policy is looked at.
        const more = { acl: 'public-read', success_action_redirect: 'https://evil.example', key: '../../etc/passwd' };
        return {
          bare: true,
          ...multipart({ policy: body.fields[0].value, ...more, file: { fileName: 'x', content } }),
        };
      },
      status,
      code,
    })),
    {
      when: 'a policy that is none',
      send: { bare: true, ...multipart({ policy: 'forged', file: { fileName: 'x', content: 'x' } }) },
      status: 410,
      code: 'GONE',
    },
    {
      when: 'the file before its policy',
      send: { bare: true, ...multipart({ file: { fileName: 'x', content: 'x' }, policy: 'x' }) },
      status: 422,
      code: 'INVALID',
    },
    { when: 'no form at all', send: { bare: true, raw: 'x' }, status: 415, code: 'TYPE' },
    {
      when: 'a form that breaks off',
      send: { bare: true, raw: '--x\r\n', headers: { 'Content-Type': 'multipart/form-data; boundary=x' } },
      status: 400,
      code: 'BAD_REQUEST',
    },
  ],

  'POST /api/meetings-fast': [
    ...[
      ['AUTO', 'ZOOM', zoomTranscript],
      ['AUTO', 'VTT', 'WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Hello.</v>\n'],
      ['AUTO', 'SRT', srtTranscript],
      ['AUTO', 'TEXT', 'We met on Monday.\n\nIt was late.\n'],
      ['VTT', 'VTT', zoomTranscript],
      ['SRT', 'SRT', srtTranscript],
      ['TEXT', 'TEXT', 'Ann: Hello.\nBen: Yes.\nAnn: Good.\n'],
    ].map(([transcriptType = '', readAs, content = '']): Row => ({
      when: `a transcript of the type ${transcriptType}, read as ${readAs}`,
      as: 'session',
      send: external({ transcriptType, transcript: { fileName: 'anything', content } }),
      status: 200,
      then: ({ body }: Answer) => expect((body as CreatedView).readAs).toBe(readAs),
    })),
    {
      when: 'a transcript whose content tells nothing: a PDF',
      as: 'session',
      send: external({ transcriptType: 'AUTO', transcript: { fileName: 'a.txt', content: '%PDF-1.7' } }),
      status: 422,
      code: 'INVALID',
      fields: { transcript: 'invalid' },
      then: ({ problem }: Answer) => expect(problem.message).toMatch(/^Invalid transcript: .*not a PDF/),
    },
    {
      when: 'a transcript whose content is captions with a broken time: the line is named',
      as: 'session',
      send: external({
        transcriptType: 'AUTO',
        transcript: { fileName: 'a.srt', content: `${srtTranscript}\n3\n00:00:99,000 --> 00:01:40,000\nC\n` },
      }),
      status: 422,
      code: 'INVALID',
      fields: { transcript: 'invalid' },
      then: ({ problem }: Answer) => {
        expect(problem.message).toMatch(/^Invalid transcript: line 10: /);
        expect(problem.info['line']).toBe(10);
      },
    },
    {
      when: 'a transcript is sent with it',
      as: 'session',
      send: external(),
      status: 200,
      then: ({ body }: Answer) => {
        const { costs, duplicateUrl, notes } = body as CreatedView;
        expect(notes).toEqual([]);
        expect(costs).toEqual([expect.objectContaining({ cost: 0, isEnough: true, isEnoughQuota: true })]);
        expect(duplicateUrl).toBeNull();
      },
    },
    { when: 'by an API token', as: 'token', send: external(), status: 200 },
    {
      when: 'a mentor who is no address',
      as: 'session',
      send: external({ mentor: 'Ben' }),
      status: 422,
      code: 'INVALID',
      fields: { mentor: 'email' },
    },
    {
      when: 'by an invitation that there is not',
      as: 'session',
      send: external({ invite: 'some' }),
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'J15: by an invitation of another person',
      as: 'session',
      send: async ({ caller, person }) => {
        const other = await person();
        expect((await caller.post('/api/invitations', { email: other.email })).status).toBe(204);
        const [{ id }] = (await other.whoami()).body.invitations;
        return external({ invite: id });
      },
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'a mentor of oneself',
      as: 'session',
      send: async ({ caller }) => external({ mentor: ` ${caller.email.toUpperCase()}` }),
      status: 422,
      code: 'INVALID',
      fields: { mentor: 'student' },
    },
    {
      when: 'a recording without a transcript: it costs nothing',
      as: 'session',
      send: multipart({ model: 'none', lang: 'ru-RU', file: { fileName: 'talk.wav', content: tone() } }),
      status: 200,
      then: ({ body }: Answer) =>
        expect((body as CreatedView).costs).toEqual([expect.objectContaining({ cost: 0, isEnough: true })]),
    },
    {
      when: 'without a transcript and without a recording',
      as: 'session',
      send: multipart({ model: 'none' }),
      status: 422,
      code: 'INVALID',
      fields: { file: 'required' },
    },
    {
      when: 'without a transcript, in an unknown language',
      as: 'session',
      send: multipart({ model: 'none', lang: 'xx', file: { fileName: 'talk.wav', content: tone() } }),
      status: 422,
      code: 'INVALID',
      fields: { lang: 'lang' },
    },
    {
      when: 'a title with pasted runs of blanks: they are one',
      as: 'session',
      send: external({ title: ' Monday\t \u00a0morning\r\n\r\n with   Tom ' }),
      status: 200,
      then: async ({ body }: Answer, { house }: Scene) => {
        const { id } = body as CreatedView;
        const rows = await house.database.sql`select title from intakes where meeting_id = ${id}`;
        expect(rows).toEqual([{ title: 'Monday morning with Tom' }]);
      },
    },
    {
      when: 'with a recording that was uploaded before',
      as: 'session',
      send: async ({ caller }) => external({ uploadId: await sendFile(caller, 'talk.wav', tone()) }),
      status: 200,
    },
    {
      when: 'with a recording that comes along',
      as: 'session',
      send: external({ file: { fileName: 'talk.wav', content: tone() } }),
      status: 200,
    },
    {
      when: 'with a recording that its transcript outlasts: it may belong to another one, and that is said at once',
      as: 'session',
      send: external({ file: { fileName: 'talk.wav', content: tone(2) } }),
      status: 200,
      then: ({ body }: Answer) => expect((body as CreatedView).notes).toEqual([{ code: 'beyond', line: 12 }]),
    },
    {
      when: 'a transcript whose clock jumps back: it is taken, and that is said',
      as: 'session',
      send: external({ transcript: backwards, transcriptType: 'OTTERAI' }),
      status: 200,
      then: ({ body }: Answer) => expect((body as CreatedView).notes).toEqual([{ code: 'backwards', line: 4 }]),
    },
    {
      when: 'a recording whose length nothing tells, by a model that is paid by the minute: nothing is made of it',
      as: 'session',
      send: multipart({ model: 'trme', file: { fileName: 'talk.mp3', content: 'no sound at all'.repeat(100) } }),
      status: 422,
      code: 'INVALID',
      fields: { file: 'file_type' },
      then: async ({ problem }: Answer, { house, caller }: Scene) => {
        expect(await house.database.sql`select 1 from meetings where owner_id = ${caller.id}`).toHaveLength(0);
        // The upload is stored all the same, for a model that accepts it.
        await createMeeting(caller, external({ uploadId: String(problem.info['uploadId']) }));
      },
    },
    ...imported,
    {
      when: 'a language model that is not offered',
      as: 'session',
      send: external({ chatModelId: 'another' }),
      status: 422,
      code: 'INVALID',
      fields: { chatModelId: 'unknown' },
    },
    {
      when: 'a language model that is offered',
      as: 'session',
      send: external({ chatModelId: 'thinking' }),
      status: 200,
      then: async ({ body }: Answer, { caller }: Scene) => {
        const { doc } = (await caller.get(`/api/meetings/${(body as CreatedView).id}`)).body;
        expect(doc.chat_model_id).toBe('thinking');
      },
    },
    {
      when: 'an upload that is not complete (F22)',
      as: 'session',
      send: async (scene) => external({ uploadId: (await mine(scene)).id }),
      status: 409,
      code: 'CONFLICT',
      then: ({ problem }: Answer) => expect(problem.info['reason']).toBe('UPLOAD_INCOMPLETE'),
    },
    {
      when: 'an upload that the store does not take as it came',
      as: 'session',
      send: async (scene) => external({ uploadId: (await tooSmall(scene)).id }),
      status: 409,
      code: 'CONFLICT',
      then: tooSmallSaid,
    },
    {
      when: 'another person’s upload (C15)',
      as: 'session',
      send: async (scene) => external({ uploadId: (await another(scene)).id }),
      status: 403,
      code: 'NO_ACCESS',
    },
    {
      when: 'an upload that a meeting was made of whose answer was lost (C15): it is that one, as it is said now',
      as: 'session',
      send: async ({ caller }) => {
        const uploadId = await sendFile(caller, 'talk.wav', tone());
        const { id } = await createMeeting(caller, external({ uploadId }));
        await caller.delete(`/api/meetings/${id}`);
        return external({ uploadId, title: 'Tuesday' });
      },
      status: 200,
      then: async ({ body }: Answer, { house, caller }: Scene) => {
        const { id } = body as CreatedView;
        const rows = await house.database.sql`
          select m.id, i.title, u.name, m.deleted_at from meetings m join intakes i on i.meeting_id = m.id
          left join uploads u on u.meeting_id = m.id where m.owner_id = ${caller.id}`;
        expect(rows).toEqual([{ id, title: 'Tuesday', name: 'talk.wav', deleted_at: null }]);
        expect((await beginProcessing(caller, id)).status).toBe(200);
      },
    },
    {
      when: 'an upload of which a meeting is processed already (C15)',
      as: 'session',
      send: async ({ caller }) => {
        const uploadId = await sendFile(caller, 'talk.wav', tone());
        await beginProcessing(caller, (await createMeeting(caller, external({ uploadId }))).id);
        return external({ uploadId });
      },
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'the id of another order',
      as: 'session',
      send: async ({ caller }) => {
        const id = { 'X-Request-ID': 'order-of-monday-1' };
        const first = external();
        await createMeeting(caller, { ...first, headers: { ...first.headers, ...id } });
        const second = external({ title: 'Tuesday' });
        return { ...second, headers: { ...second.headers, ...id } };
      },
      status: 422,
      code: 'IDEMP',
    },
    ...(
      [
        ['a model nobody has', { model: 'oracle' }, { model: 'model' }],
        ['no model', { model: '' }, { model: 'required' }],
        ['J14: a language nobody speaks', { lang: '../' }, { lang: 'lang' }],
        ['J14: eleven speakers', { spk_num: '11' }, { spk_num: 'speakers' }],
        ['J14: -1 speakers', { spk_num: '-1' }, { spk_num: 'invalid' }],
        ['J14: 1e3 speakers', { spk_num: '1e3' }, { spk_num: 'invalid' }],
        ['J14: more words than any vocabulary', { vocab: 'x'.repeat(20_000) }, { vocab: 'too_long' }],
        ['a format nobody knows (J10)', { transcriptType: 'PDF' }, { transcriptType: 'transcript_type' }],
      ] as [string, Record<string, string>, Record<string, string>][]
    ).map(([when, fields, wrong]): Row => ({
      when,
      as: 'session',
      send: external(fields),
      status: 422,
      code: 'INVALID',
      fields: wrong,
    })),
    {
      when: 'an unknown format (J10), with the message for a transcript that cannot be read',
      as: 'session',
      send: external({ transcriptType: 'rev' }),
      status: 422,
      code: 'INVALID',
      then: ({ problem }: Answer) => expect(problem.info.message).toMatch(/^Invalid transcript: .*REV, TRME, ZOOM/),
    },
    {
      when: 'J14: as many words as a vocabulary may have, with the line ends of a form',
      as: 'session',
      send: external({ vocab: 'nine char\r\n'.repeat(1000) }),
      status: 200,
      then: async (_: Answer, { house, caller }: Scene) => {
        const rows = await house.database.sql`select vocabulary from intakes where owner_id = ${caller.id}`;
        expect(rows).toEqual([{ vocabulary: 'nine char\n'.repeat(1000) }]);
      },
    },
    {
      when: 'a recording of Webex that only its own player reads, by a model that is paid by the minute',
      as: 'session',
      send: multipart({ model: 'trme', file: { fileName: 'talk.ARF', content: 'no sound at all'.repeat(100) } }),
      status: 422,
      code: 'INVALID',
      fields: { file: 'file_type' },
      then: ({ problem }: Answer) => expect(problem.info.message).toBe(intakeFailures.arf),
    },
    {
      when: 'no transcript',
      as: 'session',
      send: multipart({ title: 'Monday', model: 'external' }),
      status: 422,
      code: 'INVALID',
      fields: { transcript: 'required' },
    },
    {
      when: 'another format than was said (J10)',
      as: 'session',
      send: external({ transcript: { fileName: 'x.txt', content: 'Nobody says anything.' } }),
      status: 422,
      code: 'INVALID',
      then: ({ problem }: Answer) => expect(problem.info.message).toMatch(/^Invalid transcript:/),
    },
    {
      when: 'a recording of no kind we know',
      as: 'session',
      send: external({ file: { fileName: 'talk.exe', content: 'x' } }),
      status: 422,
      code: 'INVALID',
      fields: { file: 'file_type' },
    },
    {
      when: 'J15: into a folder, a team or a review there is not',
      as: 'session',
      send: external({ shared_folder: 'abc' }),
      status: 403,
      code: 'NO_PERM',
    },
    {
      when: 'a field twice',
      as: 'session',
      send: {
        raw: '--x\r\nContent-Disposition: form-data; name="title"\r\n\r\na\r\n--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nb\r\n--x--\r\n',
        headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
      },
      status: 422,
      code: 'INVALID',
      fields: { title: 'duplicate_key' },
    },
    { when: 'JSON', as: 'session', body: { title: 'x' }, status: 415, code: 'TYPE' },
    {
      when: 'a transcript larger than any',
      as: 'session',
      send: external({ transcript: { fileName: 'x.txt', content: new Uint8Array(21 * 1024 * 1024) } }),
      status: 413,
      code: 'BIG',
    },
    {
      when: 'J06: as many bytes were announced within the hour as may be',
      as: 'session',
      send: async ({ caller }) => {
        for (let i = 0; i < 2; i += 1)
          await caller.post('/api/multipart-uploads', { ...file, contentLength: fileLimits.mostBytes });
        return external({ file: { fileName: 'talk.wav', content: tone() } });
      },
      status: 429,
      code: 'RATE',
    },
  ],

  'POST /api/meetings/:id/process': [
    {
      when: 'for the price that was seen',
      as: 'session',
      params: created,
      body: { cost: 0, model: 'external', language: 'en-US', numberOfSpeakers: 2, title: 'Monday' },
      status: 200,
      then: ({ body }: Answer) => expect(body.progress.failures_present).toBe(false),
    },
    {
      when: 'under a title with pasted runs of blanks: they are one',
      as: 'session',
      params: created,
      body: { cost: 0, title: ' Monday \n\n  morning ' },
      status: 200,
      then: async (_: Answer, { house, caller }: Scene) => {
        const rows = await house.database.sql`select title from intakes where owner_id = ${caller.id}`;
        expect(rows).toEqual([{ title: 'Monday morning' }]);
      },
    },
    {
      when: 'with oneself as the mentor',
      as: 'session',
      params: created,
      body: async ({ caller }: Scene) => ({ cost: 0, mentor: caller.email }),
      status: 422,
      code: 'INVALID',
      fields: { mentor: 'student' },
    },
    {
      when: 'with the option that was chosen as its price',
      as: 'token',
      params: created,
      body: { cost: { cost: 0, payer: null } },
      status: 200,
    },
    {
      when: 'J16: twice: it is the same work',
      as: 'session',
      params: async (scene) => {
        const { id } = await created(scene);
        await beginProcessing(scene.caller, id);
        await processed(scene.caller, id);
        return { id };
      },
      body: { cost: 0 },
      status: 200,
      then: ({ body }: Answer) => expect(body.progress.percentage).toBe(100),
    },
    {
      when: 'J16: for another price',
      as: 'session',
      params: created,
      body: { cost: 0.01 },
      status: 409,
      code: 'PRICE',
      then: ({ problem }: Answer) => expect(problem.info['costs']).toEqual([expect.objectContaining({ cost: 0 })]),
    },
    {
      when: 'by an unknown model',
      as: 'session',
      params: created,
      body: { cost: 0, model: 'oracle' },
      status: 422,
      code: 'INVALID',
    },
    { when: 'with nothing to process', as: 'session', params: plain, body: { cost: 0 }, status: 409, code: 'CONFLICT' },
    {
      when: 'a person who may only write',
      as: 'session',
      params: shared(['read', 'write']),
      body: { cost: 0 },
      status: 403,
      code: 'NO_PERM',
    },
    ...notOurs({ body: { cost: 0 } }),
    {
      when: 'J16: after it was deleted',
      as: 'session',
      params: async (scene) => {
        const { id } = await created(scene);
        await scene.caller.delete(`/api/meetings/${id}`);
        return { id };
      },
      body: { cost: 0 },
      status: 403,
      code: 'NO_ACCESS',
    },
  ],

  'GET /api/meetings/:id/costs': [
    {
      when: 'for the upgrade of a meeting that free minutes did not pay for: nothing is to be paid',
      as: 'session',
      params: created,
      query: '?purpose=upgrade',
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual([]),
    },
    {
      when: 'with an unknown purpose',
      as: 'session',
      params: created,
      query: '?purpose=share',
      status: 422,
      code: 'INVALID',
      fields: { purpose: 'purpose' },
    },
    {
      when: 'with the model it was added with',
      as: 'session',
      params: created,
      query: '?model=external',
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual([expect.objectContaining({ cost: 0, isEnough: true })]),
    },
    {
      when: 'with an unknown model',
      as: 'session',
      params: created,
      query: '?model=oracle',
      status: 422,
      code: 'INVALID',
      fields: { model: 'model' },
    },
    {
      when: 'without a model: that of the recording',
      as: 'session',
      params: created,
      status: 200,
      then: ({ body }: Answer) => expect(body).toEqual([expect.objectContaining({ cost: 0 })]),
    },
    {
      when: 'with an empty model',
      as: 'session',
      params: created,
      query: '?model=',
      status: 422,
      code: 'INVALID',
      fields: { model: 'required' },
    },
    {
      when: 'with a parameter it does not know',
      as: 'session',
      params: created,
      query: '?model=external&page=2',
      status: 422,
      code: 'INVALID',
      fields: { page: 'unknown' },
    },
    {
      when: 'with nothing to process',
      as: 'session',
      params: plain,
      query: '?model=external',
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'a person who may only write',
      as: 'session',
      params: shared(['read', 'write']),
      query: '?model=external',
      status: 403,
      code: 'NO_PERM',
    },
    ...notOurs({ query: '?model=external' }),
  ],

  'POST /api/meetings/:id/upgrade': [
    {
      when: 'it has the best there is',
      as: 'session',
      params: created,
      body: { cost: 0 },
      status: 200,
      then: ({ body }: Answer) => expect(body.progress.failures_present).toBe(false),
    },
    { when: 'for another price', as: 'session', params: created, body: { cost: 1 }, status: 409, code: 'PRICE' },
    {
      when: 'a person who may only write',
      as: 'session',
      params: shared(['read', 'write']),
      body: { cost: 0 },
      status: 403,
      code: 'NO_PERM',
    },
    ...notOurs({ body: { cost: 0 } }),
  ],

  'POST /api/meetings/:id/replace': [
    {
      when: 'another transcript',
      as: 'session',
      params: plain,
      send: multipart({ transcript: { fileName: 'a.vtt', content: zoomTranscript }, transcriptType: 'ZOOM' }),
      status: 200,
      then: ({ body }: Answer) => {
        expect(body.version).toBeGreaterThan(0);
        expect(body.notes).toEqual([]);
        expect(body.readAs).toBe('ZOOM');
      },
    },
    {
      when: 'one whose clock jumps back: it is taken, and that is said',
      as: 'session',
      params: plain,
      send: multipart({ transcript: backwards, transcriptType: 'OTTERAI' }),
      status: 200,
      then: ({ body }: Answer) => expect(body.notes).toEqual([{ code: 'backwards', line: 4 }]),
    },
    {
      when: 'one that outlasts the recording',
      as: 'session',
      params: async ({ caller }) => {
        const { id } = await createMeeting(caller, external({ file: { fileName: 'talk.wav', content: tone(2) } }));
        await beginProcessing(caller, id);
        await processed(caller, id);
        return { id };
      },
      send: multipart({ transcript: { fileName: 'a.vtt', content: zoomTranscript }, transcriptType: 'ZOOM' }),
      status: 200,
      then: ({ body }: Answer) => expect(body.notes).toEqual([{ code: 'beyond', line: 12 }]),
    },
    {
      when: 'one that is none',
      as: 'session',
      params: plain,
      send: multipart({ transcript: { fileName: 'a.vtt', content: 'x' }, transcriptType: 'ZOOM' }),
      status: 422,
      code: 'INVALID',
    },
    {
      when: 'none',
      as: 'session',
      params: plain,
      send: multipart({ transcriptType: 'ZOOM' }),
      status: 422,
      code: 'INVALID',
      fields: { transcript: 'required' },
    },
    { when: 'no form', as: 'session', params: plain, body: {}, status: 415, code: 'TYPE' },
    {
      when: 'one larger than any',
      as: 'session',
      params: plain,
      send: multipart({ transcript: { fileName: 'a.vtt', content: new Uint8Array(21 * 1024 * 1024) } }),
      status: 413,
      code: 'BIG',
    },
    {
      when: 'as many of the person’s transcripts as may wait are being read',
      as: 'session',
      params: plain,
      send: async ({ house }) => {
        fillReadingQueue(house);
        return multipart({ transcript: { fileName: 'a.vtt', content: zoomTranscript }, transcriptType: 'ZOOM' });
      },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'while it is being processed',
      as: 'session',
      params: async (scene) => {
        const { id } = await created(scene);
        await scene.house.database.sql`update intakes set state = 'processing' where meeting_id = ${id}`;
        return { id };
      },
      send: multipart({ transcript: { fileName: 'a.vtt', content: zoomTranscript }, transcriptType: 'ZOOM' }),
      status: 409,
      code: 'CONFLICT',
    },
    {
      when: 'a person who may only read',
      as: 'session',
      params: shared(['read']),
      send: multipart({ transcript: { fileName: 'a.vtt', content: zoomTranscript } }),
      status: 403,
      code: 'NO_PERM',
    },
    ...notOurs({ send: multipart({ transcriptType: 'ZOOM' }) }),
  ],
} satisfies Table;
