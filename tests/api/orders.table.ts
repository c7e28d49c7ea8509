import { expect } from 'vitest';
import type { OrderRecording, OrderView } from '#shared/orders.ts';
import { fillReadingQueue, multipart, tone } from '#tests/support/intake.ts';
import { answer, makeOperator, operatorAddress, orderTranscript } from '#tests/support/orders.ts';
import type { Answer } from '#tests/support/people.ts';
import { unknownParameter, type Row, type Scene, type Table } from '#tests/support/table.ts';

/** Makes the caller an operator with a waiting order. */
async function waiting(scene: Scene): Promise<{ id: string; meetingId: string }> {
  await makeOperator(scene.house, scene.caller);
  return orderTranscript(scene.house, await scene.person());
}
const after =
  (...calls: [path: string, body?: unknown][]) =>
  async (scene: Scene): Promise<{ id: string; meetingId: string }> => {
    const order = await waiting(scene);
    for (const [path, body] of calls) {
      const sent = path === 'transcript' ? answer() : undefined;
      expect((await scene.caller.post(`/api/orders/${order.id}/${path}`, body, sent)).status).toBe(200);
    }
    return order;
  };
const refused: [string, unknown] = ['refuse', { reason: 'inaudible' }];
/** Makes the caller an operator, for an order that does not exist. */
const none = async (scene: Scene) => {
  await makeOperator(scene.house, scene.caller);
  return { id: 'nothing' };
};
/** Another operator, then the only one, has taken the order; now the caller is the operator. */
const takenByAnother = async (scene: Scene) => {
  const other = await scene.person('Otto');
  await makeOperator(scene.house, other);
  const order = await orderTranscript(scene.house, await scene.person());
  expect((await other.post(`/api/orders/${order.id}/take`)).status).toBe(200);
  await makeOperator(scene.house, scene.caller);
  return order;
};
const withdrawn = async (scene: Scene) => {
  await makeOperator(scene.house, scene.caller);
  const owner = await scene.person();
  const order = await orderTranscript(scene.house, owner);
  expect((await owner.delete(`/api/meetings/${order.meetingId}`)).status).toBe(204);
  return order;
};
const ownOrder = async ({ house, caller }: Scene) => orderTranscript(house, caller);

const reason = ({ problem }: Answer) => problem.info['reason'];
/** Answers of all these calls to people they are not for. */
const notFor = (more: Partial<Row> = {}): Row[] => [
  {
    when: 'a person who is no operator, also for their own recording',
    as: 'session',
    params: ownOrder,
    status: 403,
    code: 'NO_ACCESS',
    ...more,
  },
  { when: 'no such order', as: 'session', params: none, status: 404, code: 'NOT_FOUND', ...more },
  { when: 'its recording was deleted', as: 'session', params: withdrawn, status: 404, code: 'NOT_FOUND', ...more },
];
const whenDone = (more: Partial<Row> = {}): Row => ({
  when: 'it was refused',
  as: 'session',
  params: after(refused),
  status: 409,
  code: 'CONFLICT',
  then: (got) => expect(reason(got)).toBe('ORDER_DONE'),
  ...more,
});
const whenTaken = (more: Partial<Row> = {}): Row => ({
  when: 'another person has it',
  as: 'session',
  params: takenByAnother,
  status: 409,
  code: 'CONFLICT',
  then: (got) => expect(reason(got)).toBe('ORDER_TAKEN'),
  ...more,
});
const view = ({ body }: Answer) => body as OrderView;

export default {
  'GET /api/orders': [
    unknownParameter,
    {
      when: 'an operator',
      as: 'session',
      query: async (scene: Scene) => {
        await waiting(scene);
        return '';
      },
      status: 200,
      then: ({ body }: Answer) => {
        const { orders } = body as { orders: OrderView[] };
        const last = orders.findLast(({ state }) => state === 'waiting');
        expect(last).toMatchObject({ title: 'Monday', lang: 'en-US', speakers: 2, vocabulary: 'Colloquy' });
        expect(last).toMatchObject({ duration: 7, holder: null, finished: null, refusal: null, returned: false });
        // The order contains nothing that leads to the meeting or its owner.
        expect(Object.keys(last ?? {})).not.toContain('meetingId');
      },
    },
    {
      when: 'an operator’s program',
      as: 'token',
      query: async ({ house, caller }: Scene) => {
        await makeOperator(house, caller);
        return '';
      },
      status: 200,
    },
    { when: 'anybody else', as: 'session', status: 403, code: 'NO_ACCESS' },
    {
      when: 'an address that is not confirmed',
      as: 'unconfirmed',
      query: async ({ house, caller }: Scene) => {
        await makeOperator(house, caller);
        return '';
      },
      status: 403,
      code: 'NO_ACCESS',
    },
  ],

  'POST /api/orders/:id/take': [
    {
      when: 'it waits',
      as: 'session',
      params: waiting,
      status: 200,
      then: (got: Answer) => expect(view(got)).toMatchObject({ state: 'taken', holder: { isMe: true } }),
    },
    { when: 'it is the caller’s already', as: 'session', params: after(['take']), status: 200 },
    whenTaken(),
    whenDone(),
    ...notFor(),
  ],

  'POST /api/orders/:id/give-back': [
    {
      when: 'the caller has it',
      as: 'session',
      params: after(['take']),
      status: 200,
      then: (got: Answer) => expect(view(got)).toMatchObject({ state: 'waiting', holder: null }),
    },
    {
      when: 'another operator has it, who may be gone',
      as: 'session',
      params: takenByAnother,
      status: 200,
      then: (got: Answer) => expect(view(got).state).toBe('waiting'),
    },
    whenDone(),
    ...notFor(),
  ],

  'POST /api/orders/:id/refuse': [
    {
      when: 'it waits',
      as: 'session',
      params: waiting,
      body: { reason: 'language' },
      status: 200,
      then: (got: Answer) => expect(view(got)).toMatchObject({ state: 'refused', refusal: 'language' }),
    },
    {
      when: 'the caller refused it for that already',
      as: 'session',
      params: after(refused),
      body: { reason: 'inaudible' },
      status: 200,
    },
    {
      when: 'without a reason',
      as: 'session',
      params: waiting,
      body: {},
      status: 422,
      code: 'INVALID',
      fields: { reason: 'required' },
    },
    whenTaken({ body: { reason: 'undone' } }),
    whenDone({ body: { reason: 'undone' } }),
    ...notFor({ body: { reason: 'undone' } }),
  ],

  'POST /api/orders/:id/transcript': [
    {
      when: 'a transcript',
      as: 'session',
      params: waiting,
      send: answer(),
      status: 200,
      then: (got: Answer) => expect(view(got)).toMatchObject({ state: 'delivered', holder: { isMe: true }, notes: [] }),
    },
    {
      when: 'a file that is no transcript, with the line of the fault',
      as: 'session',
      params: waiting,
      send: answer('These are only notes.\n'),
      status: 422,
      code: 'INVALID',
      fields: { transcript: 'invalid' },
      then: ({ problem }: Answer) => expect(problem.message).toMatch(/^Invalid transcript: line 1/),
    },
    {
      when: 'a format there is none of',
      as: 'session',
      params: waiting,
      send: answer(undefined, 'PDF'),
      status: 422,
      code: 'INVALID',
      fields: { transcriptType: 'transcript_type' },
    },
    {
      when: 'none',
      as: 'session',
      params: waiting,
      send: multipart({ transcriptType: 'ZOOM' }),
      status: 422,
      code: 'INVALID',
      fields: { transcript: 'required' },
    },
    { when: 'no form', as: 'session', params: waiting, body: {}, status: 415, code: 'TYPE' },
    {
      when: 'one larger than any',
      as: 'session',
      params: waiting,
      send: answer(new Uint8Array(21 * 1024 * 1024)),
      status: 413,
      code: 'BIG',
    },
    {
      when: 'as many of the person’s transcripts as may wait are being read',
      as: 'session',
      params: waiting,
      send: async ({ house }) => {
        fillReadingQueue(house);
        return answer();
      },
      status: 429,
      code: 'RATE',
    },
    {
      when: 'another one, when it is done',
      as: 'session',
      params: after(['transcript']),
      send: answer(),
      status: 409,
      code: 'CONFLICT',
    },
    whenTaken({ send: answer() }),
    whenDone({ send: answer() }),
    ...notFor({ send: answer() }),
  ],

  'GET /api/orders/:id/recording': [
    {
      when: 'it waits',
      as: 'session',
      params: waiting,
      status: 200,
      then: ({ body }: Answer) =>
        expect(body).toMatchObject({ name: 'talk.wav', type: 'audio/wav', bytes: tone(7).length, plays: true }),
    },
    whenTaken(),
    whenDone(),
    ...notFor(),
  ],

  'GET /store/recordings/:token': [
    {
      when: 'the address that an operator was given, for every caller: the address is the permission',
      params: async (scene: Scene) => ({ token: (await given(scene)).token }),
      status: 200,
      then: ({ headers }: Answer) => {
        expect(Number(headers.get('content-length'))).toBe(tone(7).length);
        expect(headers.get('content-type')).toBe('audio/wav');
        expect(headers.get('content-security-policy')).toContain('sandbox');
      },
    },
    {
      when: 'a range of it',
      params: async (scene: Scene) => ({ token: (await given(scene)).token }),
      send: { headers: { Range: 'bytes=0-3' } },
      status: 206,
      then: ({ text }: Answer) => expect(text).toBe('RIFF'),
    },
    {
      when: 'a range beyond its end',
      params: async (scene: Scene) => ({ token: (await given(scene)).token }),
      send: { headers: { Range: 'bytes=99999999-' } },
      status: 416,
      code: 'RANGE',
    },
    {
      when: 'the order is answered meanwhile',
      params: async (scene: Scene) => {
        const { token, operator, id } = await given(scene);
        expect((await operator.post(`/api/orders/${id}/transcript`, undefined, answer())).status).toBe(200);
        return { token };
      },
      status: 410,
      code: 'GONE',
    },
    {
      when: 'its operator is no operator any more',
      params: async (scene: Scene) => {
        const { token } = await given(scene);
        await makeOperator(scene.house, await scene.person());
        return { token };
      },
      status: 410,
      code: 'GONE',
    },
    {
      when: 'five minutes later',
      params: async (scene: Scene) => {
        const { token } = await given(scene);
        scene.house.clock.forward(301);
        return { token };
      },
      status: 410,
      code: 'GONE',
    },
    { when: 'no such address', status: 410, code: 'GONE' },
  ],
} satisfies Table;

/** Makes an operator, with the address of the recording of an order. */
async function given(scene: Scene) {
  const operator = await scene.person('Olga');
  await makeOperator(scene.house, operator, operatorAddress);
  const { id } = await orderTranscript(scene.house, await scene.person());
  const { url } = (await operator.get(`/api/orders/${id}/recording`)).body as OrderRecording;
  return { operator, id, token: url.split('/').at(-1) ?? '' };
}
