import { hc } from 'hono/client';
import { createContext, useContext } from 'react';

import { newId } from '#shared/ids.ts';
import type { FieldError } from '#shared/problems.ts';
import type { App } from '#server/app.ts';

import { takeAnswer } from './early-answers.ts';

const networkRetries = 4;
const networkRetryStep = 3_000;
const rateRetries = 3;
const rateBackoff = 1_000;
const rateJitter = 1_000;
/** A longer wait is shown as an error instead of a silent screen. */
const longestSilentWait = 20_000;

/** The one error that calls throw. Status 0: no answer at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly requestId: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly errors: readonly FieldError[];
  /** Seconds, where the server sent Retry-After. */
  readonly retryAfter: number | undefined;

  constructor(fields: {
    status: number;
    code: string;
    message: string;
    requestId: string;
    info?: Record<string, unknown>;
    errors?: readonly FieldError[];
    retryAfter?: number | undefined;
    cause?: unknown;
  }) {
    super(fields.message, { cause: fields.cause });
    this.status = fields.status;
    this.code = fields.code;
    this.requestId = fields.requestId;
    this.info = fields.info ?? {};
    this.errors = fields.errors ?? [];
    this.retryAfter = fields.retryAfter;
  }
}

interface Surroundings {
  fetch: typeof fetch;
  random(): number;
  now(): number;
  /** Called with each X-Version header. */
  onVersion(version: string): void;
}

/** `fetch` with a request id, without cache, with retries, and with failures as ApiError. */
export function createRequest(around: Surroundings): typeof fetch {
  return async (input, init = {}) => {
    const headers = new Headers(init.headers);
    // One id for all tries of a call: the server recognises a repeated one by it.
    const requestId = headers.get('X-Request-ID') ?? newId();
    headers.set('X-Request-ID', requestId);
    if (!headers.has('Accept')) headers.set('Accept', 'application/json');
    const signal = init.signal ?? undefined;

    let networkTries = 0;
    let rateTries = 0;
    for (;;) {
      let answer: Response;
      try {
        answer = await around.fetch(input, { ...init, headers, cache: 'no-store' });
      } catch (cause) {
        signal?.throwIfAborted();
        if (networkTries === networkRetries) {
          throw new ApiError({ status: 0, code: 'NETWORK', message: 'No answer', requestId, cause });
        }
        networkTries += 1;
        await pause(networkTries * networkRetryStep, signal);
        continue;
      }

      const version = answer.headers.get('X-Version');
      if (version) around.onVersion(version);
      if (answer.ok) return answer;

      if (answer.status === 429 && rateTries < rateRetries) {
        const asked = retryAfter(answer, around.now());
        const wait = (asked ?? rateBackoff * 2 ** rateTries) + around.random() * rateJitter;
        if (wait <= longestSilentWait) {
          rateTries += 1;
          await pause(wait, signal);
          continue;
        }
      }
      throw await problemOf(answer, requestId, around.now());
    }
  };
}

/** In milliseconds; the header has seconds or a date. */
function retryAfter(answer: Response, now: number): number | undefined {
  const value = answer.headers.get('Retry-After')?.trim();
  if (!value) return undefined;
  const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

async function problemOf(answer: Response, sentId: string, now: number): Promise<ApiError> {
  const body = await jsonObject(answer);
  const info = isObject(body.info) ? body.info : {};
  const wait = retryAfter(answer, now);
  return new ApiError({
    status: answer.status,
    code: text(body.code) ?? text(info.code) ?? `HTTP_${answer.status}`,
    message: text(info.message) ?? text(body.message) ?? '',
    requestId: answer.headers.get('X-Request-ID') ?? text(body.requestId) ?? sentId,
    info,
    errors: Array.isArray(info.errors) ? info.errors.filter(isFieldError) : [],
    retryAfter: wait === undefined ? undefined : Math.ceil(wait / 1_000),
  });
}

async function jsonObject(answer: Response): Promise<Record<string, unknown>> {
  if (!/[/+]json\b/.test(answer.headers.get('Content-Type') ?? '')) return {};
  try {
    const body: unknown = await answer.json();
    return isObject(body) ? body : {};
  } catch {
    // A broken body adds nothing to the status.
    return {};
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const isFieldError = (value: unknown): value is FieldError =>
  isObject(value) && typeof value.field === 'string' && typeof value.code === 'string';

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** The typed client of every route. Failures arrive as ApiError, so an answer at hand is a good one. */
export function createApi(onVersion: (version: string) => void) {
  const request = createRequest({
    fetch: (input, init) =>
      takeAnswer(input instanceof Request ? input.url : String(input), init?.method) ?? fetch(input, init),
    random: Math.random,
    now: Date.now,
    onVersion,
  });
  return hc<App>('/api', { fetch: request });
}

export type Api = ReturnType<typeof createApi>;

export const ApiContext = createContext<Api | null>(null);

export function useApi(): Api {
  const api = useContext(ApiContext);
  if (!api) throw new Error('useApi needs ApiContext above it');
  return api;
}

interface Outgoing {
  method: 'POST' | 'PUT';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Blob | FormData;
  told: (sent: number) => void;
  signal: AbortSignal;
  /** Once the whole body is sent, an abort waits for the answer: the server may have acted on it. */
  heardOut?: boolean;
}

/** XMLHttpRequest, because fetch reports no upload progress. Status 0: no answer at all. */
function send({ method, url, headers, body, told, signal, heardOut = false }: Outgoing): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    let left = false;
    const stop = () => {
      if (!left || !heardOut) request.abort();
    };
    signal.addEventListener('abort', stop, { once: true });
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', (event) => told(event.loaded));
    request.upload.addEventListener('load', () => (left = true));
    request.addEventListener('load', () => resolve(request));
    request.addEventListener('error', () => resolve(request));
    request.addEventListener('abort', () => reject(signal.reason));
    request.addEventListener('loadend', () => signal.removeEventListener('abort', stop));
    request.send(body);
  });
}

/** Sends bytes of a file to an address from the server. Retries are up to the caller, who knows which parts are missing. */
export async function putBytes(
  url: string,
  headers: Readonly<Record<string, string>>,
  bytes: Blob,
  told: (sent: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const { status, responseText } = await send({ method: 'PUT', url, headers, body: bytes, told, signal });
  if (status >= 200 && status < 300) return;
  const { origin } = new URL(url, location.href);
  // The browser does not tell a silent server from a refusal by CORS.
  const elsewhere = `; is it there, and does it let ${location.origin} PUT (CORS)?`;
  const silence = `${origin} gave no answer${origin === location.origin ? '' : elsewhere}`;
  const message = status === 0 ? silence : responseText.slice(0, 1000);
  throw new ApiError({ status, code: 'UPLOAD', message, requestId: '' });
}

/**
 * Sends one piece of a take; returns up to where all are kept. `leaving` lets it outlive the page. Retries are up to the
 * caller.
 */
export async function putPiece(
  take: string,
  n: number,
  bytes: Uint8Array<ArrayBuffer>,
  leaving = false,
): Promise<number> {
  const requestId = newId();
  const url = `/api/takes/${encodeURIComponent(take)}/pieces/${n}`;
  const headers = { 'Content-Type': 'application/octet-stream', Accept: 'application/json', 'X-Request-ID': requestId };
  let answer: Response;
  try {
    answer = await fetch(url, { method: 'PUT', body: bytes, headers, keepalive: leaving, cache: 'no-store' });
  } catch (cause) {
    throw new ApiError({ status: 0, code: 'NETWORK', message: 'No answer', requestId, cause });
  }
  if (!answer.ok) throw await problemOf(answer, requestId, Date.now());
  const { kept } = (await answer.json()) as { kept: number };
  return kept;
}

/** Sends a form with a large file, once; retries are up to the caller. */
export async function postForm<Answer>(
  url: string,
  { form, requestId, told, signal }: { form: FormData; requestId: string } & Pick<Outgoing, 'told' | 'signal'>,
): Promise<Answer> {
  const headers = { 'X-Request-ID': requestId, Accept: 'application/json' };
  const request = await send({ method: 'POST', url, headers, body: form, told, signal, heardOut: true });
  const { status, responseText } = request;
  if (status === 0) throw new ApiError({ status, code: 'NETWORK', message: 'No answer', requestId });
  if (status >= 200 && status < 300) return JSON.parse(responseText) as Answer;
  const said = ['Content-Type', 'Retry-After', 'X-Request-ID'].flatMap((name): [string, string][] => {
    const value = request.getResponseHeader(name);
    return value === null ? [] : [[name, value]];
  });
  throw await problemOf(new Response(responseText, { status, headers: said }), requestId, Date.now());
}
