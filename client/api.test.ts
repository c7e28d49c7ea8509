import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { ApiError, createRequest } from './api.ts';

interface Sent {
  input: unknown;
  init: RequestInit;
  at: number;
}

/** A server that gives the listed answers in turn; an Error is a broken connection. */
function serverAnswering(...answers: (Response | Error)[]) {
  const sent: Sent[] = [];
  const versions: string[] = [];
  const request = createRequest({
    fetch: async (input, init = {}) => {
      sent.push({ input, init, at: Date.now() });
      init.signal?.throwIfAborted();
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (answer === undefined || answer instanceof Error) throw answer ?? new TypeError('Failed to fetch');
      return answer.clone();
    },
    random: () => 0.5,
    now: Date.now,
    onVersion: (version) => versions.push(version),
  });
  return { request, sent, versions };
}

const offline = new TypeError('Failed to fetch');
const ok = (headers: Record<string, string> = {}) => Response.json({ fine: true }, { headers });
const busy = (retryAfter?: string) =>
  new Response('{}', { status: 429, ...(retryAfter && { headers: { 'Retry-After': retryAfter } }) });
const header = (call: Sent | undefined, name: string) => new Headers(call?.init.headers).get(name);
const waits = (sent: Sent[]) => sent.slice(1).map((call, place) => call.at - (sent[place]?.at ?? 0));

/** Lets every pause pass; resolves to the outcome of the call. */
async function outcome(call: Promise<Response>): Promise<unknown> {
  const settled = call.then(
    (answer) => answer,
    (error: unknown) => error,
  );
  await vi.runAllTimersAsync();
  return settled;
}

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-03-01T10:00:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('every request', () => {
  it('carries an id the server accepts, asks for JSON, and bypasses the cache', async () => {
    const { request, sent } = serverAnswering(ok());
    await request('/api/languages', { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } });
    expect(header(sent[0], 'X-Request-ID')).toMatch(/^[A-Za-z0-9-]{8,64}$/);
    expect(header(sent[0], 'Accept')).toBe('application/json');
    expect(header(sent[0], 'Content-Type')).toBe('application/json');
    expect(sent[0]?.init).toMatchObject({ method: 'POST', body: '{}', cache: 'no-store' });
  });

  it('has an id of its own', async () => {
    const { request, sent } = serverAnswering(ok());
    await request('/api/a');
    await request('/api/a');
    expect(header(sent[0], 'X-Request-ID')).not.toBe(header(sent[1], 'X-Request-ID'));
  });

  it('keeps an id the caller chose', async () => {
    const { request, sent } = serverAnswering(ok());
    await request('/api/a', { headers: { 'X-Request-ID': 'order-0001' } });
    expect(header(sent[0], 'X-Request-ID')).toBe('order-0001');
  });

  it('returns a good answer unchanged', async () => {
    const { request } = serverAnswering(ok());
    expect(await (await request('/api/a')).json()).toEqual({ fine: true });
  });
});

describe('a broken network', () => {
  it('is tried again after 3, 6, 9 and 12 seconds with the same id and body', async () => {
    const { request, sent } = serverAnswering(offline, offline, offline, offline, ok());
    const answer = await outcome(request('/api/a', { method: 'POST', body: 'same' }));
    expect(answer).toBeInstanceOf(Response);
    expect(waits(sent)).toEqual([3_000, 6_000, 9_000, 12_000]);
    expect(new Set(sent.map((call) => header(call, 'X-Request-ID'))).size).toBe(1);
    expect(sent.every((call) => call.init.body === 'same')).toBe(true);
  });

  it('is reported after the fourth retry, with the id', async () => {
    const { request, sent } = serverAnswering(offline);
    const error = await outcome(request('/api/a'));
    expect(sent).toHaveLength(5);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 0,
      code: 'NETWORK',
      requestId: header(sent[0], 'X-Request-ID'),
      cause: offline,
    });
  });
});

describe('429', () => {
  it('is retried three times, never before Retry-After, with jitter on top', async () => {
    const { request, sent } = serverAnswering(busy('2'), busy('5'), busy('1'), ok());
    expect(await outcome(request('/api/a'))).toBeInstanceOf(Response);
    expect(waits(sent)).toEqual([2_500, 5_500, 1_500]);
    expect(new Set(sent.map((call) => header(call, 'X-Request-ID'))).size).toBe(1);
  });

  it('understands a date', async () => {
    const { request, sent } = serverAnswering(busy('Sun, 01 Mar 2026 10:00:04 GMT'), ok());
    await outcome(request('/api/a'));
    expect(waits(sent)).toEqual([4_500]);
  });

  it('backs off by itself where the server names no time or nonsense', async () => {
    const { request, sent } = serverAnswering(busy(), busy('soon'), busy(), ok());
    await outcome(request('/api/a'));
    expect(waits(sent)).toEqual([1_500, 2_500, 4_500]);
  });

  it('is reported after the third retry', async () => {
    const { request, sent } = serverAnswering(busy('1'));
    expect(await outcome(request('/api/a'))).toMatchObject({ status: 429, retryAfter: 1 });
    expect(sent).toHaveLength(4);
  });

  it('is reported at once, with the time, where the wait is too long for a silent screen', async () => {
    const { request, sent } = serverAnswering(busy('900'));
    expect(await outcome(request('/api/a'))).toMatchObject({ status: 429, code: 'HTTP_429', retryAfter: 900 });
    expect(sent).toHaveLength(1);
  });

  it('does not use up the patience with the network', async () => {
    const { request, sent } = serverAnswering(busy('1'), offline, offline, busy('1'), offline, offline, ok());
    expect(await outcome(request('/api/a'))).toBeInstanceOf(Response);
    expect(sent).toHaveLength(7);
  });
});

describe('a refusal', () => {
  const problem = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    new Response(JSON.stringify(body), {
      status,
      headers: { 'Content-Type': 'application/problem+json; charset=utf-8', ...headers },
    });

  it('arrives with code, message, id, info and the errors of fields', async () => {
    const info = {
      code: 'INVALID',
      message: 'Some fields need another look',
      errors: [{ field: 'email', code: 'email' }],
      version: 7,
    };
    const { request, sent } = serverAnswering(
      problem(422, {
        status: 422,
        code: 'INVALID',
        message: 'Some fields need another look',
        requestId: 'of-the-server',
        info,
      }),
    );
    const error = await outcome(request('/api/a'));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 422,
      code: 'INVALID',
      message: 'Some fields need another look',
      requestId: 'of-the-server',
      errors: [{ field: 'email', code: 'email' }],
      info: { version: 7 },
    });
    expect(sent).toHaveLength(1);
  });

  it('takes the id from the header first, and the sent one where there is none', async () => {
    const named = serverAnswering(problem(404, { requestId: 'in-the-body' }, { 'X-Request-ID': 'in-the-header' }));
    expect(await outcome(named.request('/api/a'))).toMatchObject({ requestId: 'in-the-header' });
    const bare = serverAnswering(new Response('gone', { status: 502 }));
    expect(await outcome(bare.request('/api/a'))).toMatchObject({
      status: 502,
      code: 'HTTP_502',
      message: '',
      requestId: header(bare.sent[0], 'X-Request-ID'),
    });
  });

  it('survives bodies that are not what they say', async () => {
    const bodies = [
      '',
      '{"info":',
      '[]',
      '"text"',
      'null',
      '{"info":7,"code":{},"message":[]}',
      '{"info":{"errors":[1,{"field":2}]}}',
    ];
    for (const body of bodies) {
      const { request } = serverAnswering(
        new Response(body, { status: 400, headers: { 'Content-Type': 'application/json' } }),
      );
      expect(await outcome(request('/api/a')), body).toMatchObject({
        status: 400,
        code: 'HTTP_400',
        message: '',
        errors: [],
      });
    }
  });

  it.each([401, 403, 404, 409, 422, 500, 503])('%i is not retried', async (status) => {
    const { request, sent } = serverAnswering(new Response(null, { status }));
    expect(await outcome(request('/api/a'))).toMatchObject({ status });
    expect(sent).toHaveLength(1);
  });
});

describe('an abort', () => {
  it('stops before the first try', async () => {
    const { request, sent } = serverAnswering(ok());
    const stopped = new Error('left the page');
    expect(await outcome(request('/api/a', { signal: AbortSignal.abort(stopped) }))).toBe(stopped);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['for the network', offline],
    ['for 429', busy('3')],
  ])('stops a wait %s, and nothing is sent afterwards', async (_what, answer) => {
    const { request, sent } = serverAnswering(answer);
    const leaving = new AbortController();
    const call = outcome(request('/api/a', { signal: leaving.signal }));
    setTimeout(() => leaving.abort(), 1_000);
    expect(await call).toMatchObject({ name: 'AbortError' });
    expect(sent).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('passes the signal on', async () => {
    const { request, sent } = serverAnswering(ok());
    const { signal } = new AbortController();
    await request('/api/a', { signal });
    expect(sent[0]?.init.signal).toBe(signal);
  });
});

it('every answer that names a version reports it, refusals too', async () => {
  const { request, versions } = serverAnswering(
    ok(),
    ok({ 'X-Version': 'one' }),
    new Response(null, { status: 500, headers: { 'X-Version': 'two' } }),
  );
  for (let call = 0; call < 3; call += 1) await outcome(request('/api/a'));
  expect(versions).toEqual(['one', 'two']);
});
