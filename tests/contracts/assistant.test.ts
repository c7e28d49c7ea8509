// Requirements on a model that answers questions, on imitations of four servers, and on how such servers are found.
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '#server/config.ts';
import { anthropic } from '#server/outside/anthropic.ts';
import { AssistantFailed, type Asking, type AnswerReader } from '#server/outside/assistant.ts';
import { createAssistants } from '#server/outside/assistants.ts';
import { chatCompletions } from '#server/outside/chat-completions.ts';
import { ollama } from '#server/outside/ollama.ts';
import { ask } from '#server/outside/streaming.ts';
import { answerShape } from '#shared/ai/answer.ts';
import { dialects, openAssistant, type StandIn, type StandInDialect } from '#tests/support/assistant.ts';

const clients = { openai: chatCompletions, llama: chatCompletions, ollama, anthropic };
const patience = { firstMs: 400, quietMs: 400, pause: 1 };
const answer = `{"parts": [{"text": "Ответ: 会议 – naïve 😀", "cites": []}], "enough": true}`;

function readerOf() {
  const got = { text: '', pieces: 0, again: 0 };
  const reader: AnswerReader = {
    piece: (text) => {
      got.text += text;
      got.pieces += 1;
    },
    again: () => {
      got.text = '';
      got.again += 1;
    },
  };
  return { got, reader };
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'an answer',
    (error: unknown) => (error instanceof AssistantFailed ? error.failure : error),
  );

describe.each(dialects)('an assistant that speaks like %s', (dialect: StandInDialect) => {
  let there: StandIn;
  beforeEach(async () => {
    there = await openAssistant(dialect, { key: 'a-key' });
    there.mood.answer = () => answer;
  });
  afterEach(() => there.close());

  const asking = (more: Partial<Asking> = {}): Asking => ({
    rules: 'Be brief.',
    data: '#1 00:00:00 Ann: Hello.',
    question: 'Who speaks?',
    schema: answerShape,
    needs: 2000,
    most: 500,
    signal: new AbortController().signal,
    ...more,
  });
  const put = (more: Partial<Asking> = {}, reader = readerOf().reader, key: string | null = 'a-key') =>
    ask(clients[dialect]({ url: there.url, key, model: 'stand-in' }), asking(more), reader, patience);

  test('gets rules and question, and gives the answer in pieces, with its tokens', async () => {
    const { got, reader } = readerOf();
    const answered = await put({}, reader);
    expect(got).toMatchObject({ text: answer, again: 0 });
    expect(got.pieces).toBeGreaterThan(3);
    expect(answered).toEqual({
      usage: { asked: there.received[0]?.tokens, answered: expect.any(Number) },
      end: 'done',
    });
    expect(there.received).toEqual([
      expect.objectContaining({
        model: 'stand-in',
        rules: expect.stringContaining('Be brief.'),
        said: '#1 00:00:00 Ann: Hello.\n\nWho speaks?',
        most: 500,
        context: dialect === 'ollama' ? 8192 : null,
      }),
    ]);
    const [one] = there.received;
    if (dialect === 'anthropic') expect(one?.rules).toContain(JSON.stringify(answerShape));
    else expect(one?.schema).toEqual(answerShape);
  });

  test('says that the answer is cut at its limit', async () => {
    expect(await put({ most: 8 })).toMatchObject({ end: 'length' });
  });

  test('asks again where the server is busy or the line breaks, and begins the answer anew', async () => {
    there.mood.refuses = [{ status: 429, retryAfter: 0 }];
    there.mood.cuts = 1;
    const { got, reader } = readerOf();
    await put({}, reader);
    expect(got).toMatchObject({ text: answer, again: 2 });
  });

  test.each([
    [{ status: 500 }, 3],
    [{ status: 408 }, 3],
    [{ status: 401 }, 1],
    [{ status: 404 }, 1],
    [{ status: 302 }, 1],
  ])('gives up after %j, asked %i times', async (refused, times) => {
    there.mood.refuses = Array.from({ length: 5 }, () => refused);
    expect(await failureOf(put())).toBe(times === 3 ? 'unreachable' : 'refused');
    expect(there.mood.refuses).toHaveLength(5 - times);
  });

  test('waits as long as the server asks', async () => {
    there.mood.refuses = [{ status: 503, retryAfter: 60 }];
    const over = new AbortController();
    const waiting = failureOf(put({ signal: over.signal }));
    await expect.poll(() => there.mood.refuses).toEqual([]);
    await expect.poll(() => there.asking()).toBe(0);
    over.abort('enough');
    expect(await waiting).toBe('enough');
    expect(there.received).toEqual([]);
  });

  test('fails for a wrong key, nonsense, an endless answer, silence and a server that is away', async () => {
    expect(await failureOf(put({}, undefined, 'another'))).toBe('refused');
    there.mood.garbage = 1;
    expect(await failureOf(put())).toBe('answer');
    there.mood.garbage = 50 * 1024 * 1024;
    expect(await failureOf(put())).toBe('answer');
    there.mood.garbage = 0;
    there.mood.silent = true;
    expect(await failureOf(put())).toBe('slow');
    await there.close();
    expect(await failureOf(put())).toBe('unreachable');
  });

  test('is told where the question is too long, or cut by a server that does not say so', async () => {
    const data = 'word '.repeat(20_000);
    if (dialect === 'ollama') expect(await put({ data })).toMatchObject({ usage: { asked: 8192 } });
    else expect(await failureOf(put({ data }))).toBe('too_long');
  });

  test('gives up at once when the caller does, also upstream', async () => {
    there.mood.pause = 20;
    const over = new AbortController();
    const { got, reader } = readerOf();
    const answering = failureOf(put({ signal: over.signal }, reader));
    await expect.poll(() => got.pieces).toBeGreaterThan(0);
    const reason = new Error('cancelled');
    over.abort(reason);
    expect(await answering).toBe(reason);
    await expect.poll(() => there.aborted()).toBe(1);
  });

  test('reports no text of the server in its errors', async () => {
    there.mood.refuses = [{ status: 400, body: 'canary of a prompt' }];
    const error: unknown = await put().catch((one: unknown) => one);
    expect(JSON.stringify(error) + String(error)).not.toContain('canary');
  });
});

test('a server that takes no schema is asked without one', async () => {
  const there = await openAssistant('openai');
  there.mood.takesSchema = false;
  there.mood.answer = () => answer;
  const { got, reader } = readerOf();
  const behind = { url: there.url, key: null, model: 'stand-in' };
  const signal = new AbortController().signal;
  await ask(
    chatCompletions(behind),
    { rules: '', data: '', question: 'x', schema: {}, needs: 1, most: 500, signal },
    reader,
  );
  expect(got.text).toBe(answer);
  await there.close();
});

describe.each(['openai', 'llama'] as const)('the package of OpenAI, at a server that speaks like %s', (dialect) => {
  test.each([
    ['whole', 500, 'stop', 'done'],
    ['cut', 8, 'length', 'length'],
  ] as const)('reads an answer that is %s as our client does, with its tokens', async (_, most, finish, end) => {
    const there = await openAssistant(dialect, { key: 'a-key' });
    there.mood.answer = () => answer;
    const behind = { url: there.url, key: 'a-key', model: 'stand-in' };
    const { got, reader } = readerOf();
    const asked = { rules: 'Be brief.', data: '#1 00:00:00 Ann: Hello.', question: 'Who speaks?', schema: answerShape };
    const { signal } = new AbortController();
    const ours = await ask(chatCompletions(behind), { ...asked, needs: 2000, most, signal }, reader, patience);

    const client = new OpenAI({ baseURL: there.url, apiKey: 'a-key', maxRetries: 0 });
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['stand-in']);
    const [sent] = there.received;
    if (!sent) throw new Error('nothing arrived');
    const stream = await client.chat.completions.create({
      model: 'stand-in',
      messages: [
        { role: 'system', content: sent.rules },
        { role: 'user', content: sent.said },
      ],
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: most,
      temperature: 0,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema: { ...answerShape } },
      },
    });
    let text = '';
    let usage: { asked: number; answered: number } | null = null;
    let reason: string | null = null;
    for await (const { choices, usage: counted } of stream) {
      text += choices[0]?.delta.content ?? '';
      reason = choices[0]?.finish_reason ?? reason;
      if (counted) usage = { asked: counted.prompt_tokens, answered: counted.completion_tokens };
    }
    expect({ text, usage, reason }).toEqual({ text: got.text, usage: ours.usage, reason: finish });
    expect(ours.end).toBe(end);
    // The server understood both as the same request.
    expect(there.received[1]).toEqual(there.received[0]);
    await there.close();
  });
});

describe('assistants are found', () => {
  const find = (env: Record<string, string>, home = 'http://127.0.0.1:1') =>
    createAssistants(readConfig(env, '/srv'), { home })().then((list) => list.map(({ offered }) => offered));

  test.each([
    ['openai', 32_000, 32_000],
    ['llama', 4096, 4096],
    ['ollama', 16_000, 16_000],
    ['ollama', 262_144, 32_768],
  ] as const)('behind an address that speaks like %s, with a context of %i: %i', async (dialect, context, offered) => {
    const there = await openAssistant(dialect, { key: 'a-key', context });
    const env = { AI_URL: there.url, AI_KEY: 'a-key' };
    const { host } = new URL(there.url);
    expect(await find(env)).toEqual([{ id: 'stand-in', title: 'stand-in', host, local: true, context: offered }]);
    expect(await find({ ...env, AI_MODEL: 'one, two', AI_NAME: 'Our model', AI_CONTEXT: '5000' })).toMatchObject([
      { id: 'one', title: 'Our model', context: 5000 },
      { id: 'two', title: 'Our model', context: 5000 },
    ]);
    // Also where the address of Ollama is given as OpenAI's clients want it.
    if (dialect === 'ollama') expect(await find({ ...env, AI_URL: `${there.url}/v1` })).toHaveLength(1);
    const [assistant] = await createAssistants(readConfig(env, '/srv'))();
    const { got, reader } = readerOf();
    there.mood.answer = () => answer;
    const { signal } = new AbortController();
    await assistant?.ask({ rules: '', data: '', question: 'x', needs: 1, most: 500, signal }, reader);
    expect(got.text).toBe(answer);
    await there.close();
  });

  test('at Anthropic by its host, and anywhere else that is away by its name', async () => {
    const keys = { AI_URL: 'https://api.anthropic.com/v1', AI_MODEL: 'claude' };
    expect(await find(keys)).toEqual([
      { id: 'claude', title: 'claude', host: 'api.anthropic.com', local: false, context: 8192 },
    ]);
    expect(await find({ AI_URL: 'http://127.0.0.1:1/v1', AI_MODEL: 'one' })).toMatchObject([
      { id: 'one', context: 8192 },
    ]);
    expect(await find({ AI_URL: 'http://127.0.0.1:1/v1' })).toEqual([]);
  });

  test('on this machine without a key, where only this machine reaches the server', async () => {
    const there = await openAssistant('ollama');
    const away = { HOST: '0.0.0.0', PUBLIC_URL: 'https://colloquy.example' };
    expect(await find(away, there.origin)).toEqual([]);
    expect(await find({ AI_LOCAL: 'off' }, there.origin)).toEqual([]);
    expect(there.arrived()).toBe('');
    expect(await find({}, there.origin)).toMatchObject([{ id: 'stand-in', local: true }]);
    expect(await find({ AI_MODEL: 'older' }, there.origin)).toMatchObject([{ id: 'older' }]);
    expect(await find({}, 'http://127.0.0.1:1')).toEqual([]);
    await there.close();
    // Some other server at that address is no assistant.
    const other = await openAssistant('llama');
    expect(await find({}, other.origin)).toEqual([]);
    await other.close();
  });

  test('once, and again when some time has passed', async () => {
    const there = await openAssistant('ollama');
    let now = 0;
    const assistants = createAssistants(readConfig({}, '/srv'), { home: there.origin, now: () => now });
    await Promise.all([assistants(), assistants()]);
    const once = there.arrived();
    now = 59_999;
    await assistants();
    expect(there.arrived()).toBe(once);
    now = 60_000;
    await there.close();
    expect(await assistants()).toEqual([]);
  });
});
