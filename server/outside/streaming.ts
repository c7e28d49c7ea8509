import { request as insecure, type IncomingMessage } from 'node:http';
import { request as secure } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { AssistantFailed, type AnswerReader, type Answered, type Asking } from './assistant.ts';

// Requests to assistants. The operator names the address, redirects are not followed, and what comes back is bounded in
// size and in time.

export interface Patience {
  /** Milliseconds until the first byte, and between two of them. */
  firstMs: number;
  quietMs: number;
  /** Milliseconds before the second attempt, doubled for the third. */
  pause: number;
}
const usual: Patience = { firstMs: 120_000, quietMs: 60_000, pause: 1000 };

const tries = 3;
const longestPause = 60_000;
const mostBytes = 2 * 1024 * 1024;
const mostOfError = 2000;

/** One attempt in a dialect. */
export type Once = (asking: Asking, piece: (text: string) => void, patience: Patience) => Promise<Answered>;

/** Asks until there is an answer, at most three times. */
export async function ask(
  once: Once,
  asking: Asking,
  reader: AnswerReader,
  given: Partial<Patience> = {},
): Promise<Answered> {
  const patience = { ...usual, ...given };
  const { signal } = asking;
  for (let nth = 1; ; nth += 1) {
    signal.throwIfAborted();
    try {
      return await once(asking, (text) => reader.piece(text), patience);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AssistantFailed) || error.wait === null || nth === tries) throw error;
      reader.again();
      const pause = Math.max(error.wait, patience.pause * 2 ** (nth - 1));
      await sleep(Math.min(longestPause, pause), undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

interface Request {
  url: string;
  headers: Record<string, string>;
  body?: object;
  signal: AbortSignal;
}

/** Lines of a successful answer, as they arrive. */
export async function* linesFrom(request: Request, patience: Patience): AsyncGenerator<string> {
  const answer = await open(request, patience);
  const status = answer.statusCode ?? 0;
  if (status !== 200) throw refusal(status, answer.headers['retry-after'], await errorText(answer));
  const decoder = new TextDecoder();
  let rest = '';
  let size = 0;
  try {
    for await (const bytes of answer as AsyncIterable<Buffer>) {
      size += bytes.length;
      if (size > mostBytes) throw new AssistantFailed('answer', 'it says too much');
      rest += decoder.decode(bytes, { stream: true });
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    if (error instanceof AssistantFailed) throw error;
    request.signal.throwIfAborted();
    throw new AssistantFailed('unreachable', 'the line to it broke', { cause: error, wait: 0 });
  } finally {
    answer.destroy();
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

/** Data of server-sent events: an event ends with an empty line. */
export async function* eventsFrom(request: Request, patience: Patience): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of linesFrom(request, patience)) {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    else if (line === '' && data.length > 0) {
      yield data.join('\n');
      data = [];
    }
  }
  if (data.length > 0) yield data.join('\n');
}

const mayPass = (status: number) => status === 408 || status === 429 || status >= 500;
const tooLong =
  /exceed_context_size|context_length_exceeded|maximum context length|prompt is too long|exceeds? .{0,40}context/i;
const noSchema = /response_format|json_schema/i;

function refusal(status: number, retryAfter: string | undefined, text: string): AssistantFailed {
  const why = `it answered ${status}`;
  if ((status === 400 || status === 413) && tooLong.test(text)) return new AssistantFailed('too_long', why);
  if (status === 400 && noSchema.test(text)) return new AssistantFailed('schema', why);
  if (!mayPass(status)) return new AssistantFailed('refused', why);
  const seconds = /^\d{1,4}$/.test(retryAfter ?? '') ? Number(retryAfter) : 0;
  return new AssistantFailed('unreachable', why, { wait: seconds * 1000 });
}

async function errorText(answer: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const bytes of answer as AsyncIterable<Buffer>) {
      text += bytes.toString('utf8');
      if (text.length > mostOfError) break;
    }
  } catch {
    // The status says enough.
  }
  answer.destroy();
  return text.slice(0, mostOfError);
}

function open({ url, headers, body, signal }: Request, { firstMs, quietMs }: Patience): Promise<IncomingMessage> {
  signal.throwIfAborted();
  const content = body && Buffer.from(JSON.stringify(body));
  const start = url.startsWith('https:') ? secure : insecure;
  return new Promise((answered, failed) => {
    const all = {
      Accept: '*/*',
      'Accept-Encoding': 'identity',
      ...headers,
      ...(content && { 'Content-Type': 'application/json', 'Content-Length': String(content.length) }),
    };
    const request = start(url, { method: content ? 'POST' : 'GET', headers: all, signal, agent: false }, (answer) => {
      const silent = new AssistantFailed('slow', 'it fell silent', { wait: 0 });
      answer.setTimeout(quietMs, () => answer.destroy(silent));
      answered(answer);
    });
    request.setTimeout(firstMs, () => request.destroy(new AssistantFailed('slow', 'it did not answer', { wait: 0 })));
    request.on('error', (error) => {
      if (signal.aborted) return failed(signal.reason instanceof Error ? signal.reason : error);
      const lost = error instanceof AssistantFailed ? error : null;
      failed(lost ?? new AssistantFailed('unreachable', 'the line to it broke', { cause: error, wait: 0 }));
    });
    request.end(content);
  });
}

/** Milliseconds for a question about the server itself. */
const briefMs = 3000;

/** A short answer as JSON; null for any other answer, and for none. */
export async function brief(
  url: string,
  { key = null, body, ms = briefMs }: { key?: string | null; body?: object; ms?: number } = {},
): Promise<unknown> {
  const signal = AbortSignal.timeout(ms);
  try {
    const lines: string[] = [];
    const request = { url, headers: bearer(key), signal, ...(body && { body }) };
    for await (const line of linesFrom(request, usual)) lines.push(line);
    return json(lines.join('\n'));
  } catch {
    return null;
  }
}

export const bearer = (key: string | null): Record<string, string> =>
  key === null ? {} : { Authorization: `Bearer ${key}` };

export function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** The question of a person stands behind the data that it is about. */
export const asked = ({ data, question }: Pick<Asking, 'data' | 'question'>): string =>
  data === '' ? question : `${data}\n\n${question}`;

export const messagesOf = (asking: Asking) => [
  { role: 'system', content: asking.rules },
  { role: 'user', content: asked(asking) },
];

export const noEnd = () => new AssistantFailed('unreachable', 'its answer has no end', { wait: 0 });
export const notUnderstood = () => new AssistantFailed('answer', 'it answered something that is not understood');
