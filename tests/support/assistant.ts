import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Assistants } from '#server/outside/assistant.ts';

// A server with a language model, in the dialects of OpenAI (and vLLM), llama.cpp, Ollama and Anthropic. The test gives the
// answers; streams, limits, counts and faults are those of the dialect.

export const dialects = ['openai', 'llama', 'ollama', 'anthropic'] as const;
export type StandInDialect = (typeof dialects)[number];

interface Received {
  model: string;
  rules: string;
  /** Data and question. */
  said: string;
  schema: unknown;
  /** Most tokens of the answer. */
  most: number;
  /** Ollama's `num_ctx`. */
  context: number | null;
  /** Tokens of the question, as far as it was read. */
  tokens: number;
}

const model = 'stand-in';
/** A rough tokenizer: three Latin letters, or one of other scripts. */
const tokensOf = (said: string): number =>
  Math.ceil([...said].reduce((sum, one) => sum + (one < '\u0370' ? 1 / 3.5 : one < '\u0530' ? 1 / 2.2 : 1), 0));

export type StandIn = Awaited<ReturnType<typeof openAssistant>>;

export async function openAssistant(
  dialect: StandInDialect,
  { key = null as string | null, context = 8192, capabilities = ['completion'], port = 0 } = {},
) {
  const mood = {
    answer: (() => '{"parts": [], "enough": false}') as (received: Received) => string | Promise<string>,
    /** Requests that are answered with this status first. */
    refuses: [] as { status: number; retryAfter?: number; body?: string }[],
    /** Streams that break off after some bytes. */
    cuts: 0,
    /** Bytes of nonsense in place of an answer. */
    garbage: 0,
    takesSchema: true,
    heedsLimit: true,
    /** Milliseconds between two pieces of a stream. */
    pause: 0,
    /** In the middle of its stream an answer waits for this. */
    held: null as Promise<void> | null,
    /** Never answers. */
    silent: false,
  };
  const received: Received[] = [];
  /** Every byte that arrived: addresses, headers and bodies. */
  let bytes = '';
  let asking = 0;
  let aborted = 0;

  const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
    void response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
  const refusal = (message: string, type = 'invalid_request_error', code: string | null = null) =>
    dialect === 'ollama' ? { error: message } : { error: { message, type, code } };

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    bytes += `${request.method} ${request.url}\n${request.rawHeaders.join('\n')}\n${body}\n`;
    const path = request.url ?? '';
    const given = dialect === 'anthropic' ? request.headers['x-api-key'] : request.headers.authorization?.slice(7);
    if (key !== null && given !== key) return json(response, 401, refusal('invalid key', 'authentication_error'));
    if (path === '/api/version' && dialect === 'ollama') return json(response, 200, { version: '0.13.0' });
    if (path === '/api/tags' && dialect === 'ollama')
      return json(response, 200, {
        models: [
          { name: 'older', modified_at: '2025-01-01T00:00:00Z' },
          { name: model, modified_at: '2026-01-01T00:00:00Z' },
          { name: 'embeddings', modified_at: '2026-02-01T00:00:00Z' },
        ],
      });
    if (path === '/api/show' && dialect === 'ollama') {
      const asked = (JSON.parse(body) as { model: string }).model;
      return json(response, 200, {
        capabilities: asked === 'embeddings' ? ['embedding'] : capabilities,
        model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': context },
      });
    }
    if (path === '/props' && dialect === 'llama')
      return json(response, 200, { default_generation_settings: { n_ctx: context } });
    if (path === '/v1/models' && (dialect === 'openai' || dialect === 'llama'))
      return json(response, 200, {
        object: 'list',
        data: [{ id: model, object: 'model', ...(dialect === 'openai' && { max_model_len: context }) }],
      });
    const paths = {
      openai: '/v1/chat/completions',
      llama: '/v1/chat/completions',
      ollama: '/api/chat',
      anthropic: '/v1/messages',
    };
    if (path !== paths[dialect] || request.method !== 'POST') return json(response, 404, refusal('not found'));
    return chat(response, JSON.parse(body) as Record<string, unknown>);
  }

  async function chat(response: ServerResponse, body: Record<string, unknown>): Promise<void> {
    asking += 1;
    response.on('close', () => {
      asking -= 1;
      if (!response.writableEnded) aborted += 1;
    });
    if (mood.silent) return;
    const [refused] = mood.refuses.splice(0, 1);
    if (refused) {
      const headers = refused.retryAfter === undefined ? {} : { 'Retry-After': String(refused.retryAfter) };
      return json(response, refused.status, refused.body ?? refusal('try later', 'overloaded_error'), headers);
    }
    const format = (body['response_format'] ?? null) as { json_schema?: { schema?: unknown } } | null;
    if (format && !mood.takesSchema) return json(response, 400, refusal('response_format is not supported'));
    const messages = body['messages'] as { role: string; content: string }[];
    const options = (body['options'] ?? {}) as { num_ctx?: number; num_predict?: number };
    const rules =
      (body['system'] as string | undefined) ?? messages.find(({ role }) => role === 'system')?.content ?? '';
    let said = messages.find(({ role }) => role === 'user')?.content ?? '';
    const most = Number(body['max_tokens'] ?? body['max_completion_tokens'] ?? options.num_predict ?? 0);
    let tokens = tokensOf(rules) + tokensOf(said);
    if (dialect === 'ollama') {
      // Ollama cuts in silence, and reports what is left.
      const room = options.num_ctx ?? 4096;
      if (tokens > room) {
        said = said.slice(-Math.floor((room / tokens) * said.length));
        tokens = room;
      }
    } else if (tokens + most > context) {
      if (dialect === 'llama')
        return json(
          response,
          400,
          refusal('the request exceeds the available context size', 'exceed_context_size_error'),
        );
      if (dialect === 'anthropic')
        return json(response, 400, refusal(`prompt is too long: ${tokens} tokens > ${context} maximum`));
      return json(
        response,
        400,
        refusal(
          `This model's maximum context length is ${context} tokens`,
          'invalid_request_error',
          'context_length_exceeded',
        ),
      );
    }
    const one: Received = {
      model: String(body['model']),
      rules,
      said,
      schema: format?.json_schema?.schema ?? body['format'] ?? null,
      most,
      context: options.num_ctx ?? null,
      tokens,
    };
    received.push(one);
    const whole = await mood.answer(one);
    const isCut = mood.heedsLimit && tokensOf(whole) > most;
    const letters = [...whole].slice(0, isCut ? most * 3 : undefined);
    const usage = { asked: one.tokens, answered: tokensOf(letters.join('')) };
    const type = dialect === 'ollama' ? 'application/x-ndjson' : 'text/event-stream';
    response.writeHead(200, { 'Content-Type': type });
    if (mood.garbage > 0) {
      response.on('error', () => {});
      for (let left = mood.garbage; left > 0 && !response.destroyed; left -= 65_536) {
        if (!response.write(`${'x'.repeat(Math.min(left, 65_535))}\n`))
          await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
      response.end('data: {nonsense\n\n{');
      return;
    }
    const stream = Buffer.from(streamOf(letters.join(''), usage, isCut));
    const cut = mood.cuts > 0;
    if (cut) mood.cuts -= 1;
    const until = cut ? Math.floor(stream.length * 0.7) : stream.length;
    // Pieces end within letters and lines, as those of a network do.
    for (let at = 0; at < until && !response.destroyed; at += 61) {
      response.write(stream.subarray(at, Math.min(until, at + 61)));
      if (mood.pause > 0) await sleep(mood.pause);
      if (at <= until / 2 && at + 61 > until / 2) await mood.held;
    }
    if (cut) response.destroy();
    else response.end();
  }

  function streamOf(whole: string, usage: { asked: number; answered: number }, isCut: boolean): string {
    const pieces = whole.match(/[^]{1,9}/gu) ?? [];
    const events = (list: [name: string | null, data: unknown][]) =>
      list
        .map(([name, data]) => `${name === null ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
        .join('');
    if (dialect === 'ollama')
      return [
        { model, message: { role: 'assistant', content: '', thinking: 'Let me see {' }, done: false },
        ...pieces.map((content) => ({ model, message: { role: 'assistant', content }, done: false })),
        {
          model,
          message: { role: 'assistant', content: '' },
          done: true,
          done_reason: isCut ? 'length' : 'stop',
          prompt_eval_count: usage.asked,
          eval_count: usage.answered,
        },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join('');
    if (dialect === 'anthropic')
      return events([
        [
          'message_start',
          { type: 'message_start', message: { id: 'm', usage: { input_tokens: usage.asked, output_tokens: 1 } } },
        ],
        ['content_block_start', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }],
        ['ping', { type: 'ping' }],
        ...pieces.map((one): [string, unknown] => [
          'content_block_delta',
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: one } },
        ]),
        ['content_block_stop', { type: 'content_block_stop', index: 0 }],
        [
          'message_delta',
          {
            type: 'message_delta',
            delta: { stop_reason: isCut ? 'max_tokens' : 'end_turn' },
            usage: { output_tokens: usage.answered },
          },
        ],
        ['message_stop', { type: 'message_stop' }],
      ]);
    const chunk = (delta: object, finish: string | null = null, more: object = {}) => ({
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    });
    const counted = {
      prompt_tokens: usage.asked,
      completion_tokens: usage.answered,
      total_tokens: usage.asked + usage.answered,
    };
    return `: hello\n\n${events([
      [null, chunk({ role: 'assistant', content: '' })],
      [null, chunk({ reasoning_content: 'Let me see {' })],
      ...pieces.map((content): [null, unknown] => [null, chunk({ content })]),
      [null, chunk({}, isCut ? 'length' : 'stop')],
      [null, { ...chunk({}), choices: [], usage: counted }],
    ])}data: [DONE]\n\n`;
  }

  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    /** As an operator configures it. */
    url: dialect === 'ollama' || dialect === 'anthropic' ? origin : `${origin}/v1`,
    mood,
    received,
    /** Everything that arrived, as one text. */
    arrived: () => bytes,
    /** Questions that are being answered, and those that were given up. */
    asking: () => asking,
    aborted: () => aborted,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close').catch(() => {});
    },
  };
}

/** An assistant on this machine that never ends its answers, for tests of everything around them. */
export const thinkingAssistants: Assistants = () =>
  Promise.resolve([
    {
      offered: { id: 'thinking', title: 'Thinking', host: '127.0.0.1:11434', local: true, context: 8192 },
      ask: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    },
  ]);
