import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { newId } from '#shared/ids.ts';
import { Problem, problemBody, type ProblemCode } from '#shared/problems.ts';
import type { Env } from './env.ts';
import { plainHeaders } from './headers.ts';

/** Time limits for a caller, in milliseconds. */
export interface Patience {
  /** Time for all headers of a request. */
  headers: number;
  /** Time for a body that is read as a whole (JSON, forms); an upload of a recording has the time of a request. */
  body: number;
  request: number;
  /** Time between two requests of one connection. */
  idle: number;
  /** Time in which a client neither reads the answer nor sends more of its request. */
  silence: number;
  /** Time for requests in progress when the server stops. */
  farewell: number;
}

const usualPatience: Patience = {
  headers: 10_000,
  body: 30_000,
  // Enough for the largest recording at 2 Mbit/s; a client that sends nothing for `silence` is cut off long before.
  request: 3 * 3_600_000,
  idle: 60_000,
  silence: 120_000,
  farewell: 5000,
};

type Handler = (request: Request, env: Env['Bindings']) => Response | Promise<Response>;

export interface Door {
  port: number;
  /** Server behind the door, for WebSockets. */
  server: Server;
  /** Replaces the handler. */
  answer(handler: Handler): void;
  /** Refuses new connections and closes idle ones; requests in progress get `farewell` to finish. */
  close(): Promise<void>;
}

/** Listens on the socket, and answers connections whose request never reaches the app. */
export function listen(
  where: { host: string; port: number },
  first: Handler,
  given: Partial<Patience> = {},
): Promise<Door> {
  const patience = { ...usualPatience, ...given };
  let handler = first;
  const listener = getRequestListener(
    (request, env) => handler(request, { ...(env as Env['Bindings']), bodyPatience: patience.body }),
    {
      // Invalid address in the request line and Host header, or the app failed to answer.
      errorHandler: (error) => answerTo(error instanceof RequestError ? 'BAD_REQUEST' : 'INTERNAL'),
    },
  );
  const options = {
    headersTimeout: patience.headers,
    requestTimeout: patience.request,
    keepAliveTimeout: patience.idle,
    connectionsCheckingInterval: Math.min(1000, patience.headers / 4),
    maxHeaderSize: 16_384,
    // A missing Host header is refused by the request listener, with all headers of an answer.
    requireHostHeader: false,
  };
  let closed: Promise<void> | undefined;
  const inWork = new Map<Duplex, ServerResponse>();
  const server = createServer(options, (incoming, outgoing) => {
    const { socket } = incoming;
    inWork.set(socket, outgoing);
    // HTTP/1.0 has no Host header, and some health checks still use it.
    if (incoming.httpVersionMinor === 0) incoming.headers.host ??= 'localhost';
    outgoing.shouldKeepAlive &&= !closed;
    outgoing.once('close', () => {
      inWork.delete(socket);
      if (closed) server.closeIdleConnections();
    });
    void listener(incoming, outgoing);
  });
  server.timeout = patience.silence;
  // Node handles 100-continue, the only expectation in use; others may be ignored.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => refuse(socket, 'METHOD'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // A second answer would be read as part of the one that has begun.
    if (error.code === 'ECONNRESET' || !socket.writable || inWork.get(socket)?.headersSent) socket.destroy();
    else refuse(socket, parserFailures[error.code ?? ''] ?? 'BAD_REQUEST');
  });

  const close = () =>
    (closed ??= new Promise((resolve) => {
      // Open connections that send another request are told to come back.
      handler = () => answerTo('UNAVAILABLE', 1);
      for (const outgoing of inWork.values()) outgoing.shouldKeepAlive = false;
      const cut = setTimeout(() => server.closeAllConnections(), patience.farewell);
      server.close(() => {
        clearTimeout(cut);
        resolve();
      });
    }));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where.port, where.host, () => {
      server.off('error', reject);
      resolve({ port: (server.address() as AddressInfo).port, server, answer: (next) => (handler = next), close });
    });
  });
}

const parserFailures: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'BIG',
  HPE_INVALID_METHOD: 'METHOD',
  ERR_HTTP_REQUEST_TIMEOUT: 'SLOW',
};

/** A problem as an answer without the app: before the start, during a stop, or for a malformed request. */
export function answerTo(code: ProblemCode, retryAfter?: number): Response {
  const { status, headers, body } = bare(new Problem(code, retryAfter === undefined ? {} : { retryAfter }));
  return new Response(body, { status, headers });
}

function refuse(socket: Duplex, code: ProblemCode): void {
  const { status, headers, body } = bare(new Problem(code));
  const all = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

function bare(problem: Problem) {
  const requestId = newId();
  return {
    status: problem.status,
    headers: {
      ...plainHeaders,
      'X-Request-ID': requestId,
      'Content-Type': 'application/problem+json; charset=utf-8',
      ...(problem.retryAfter === undefined ? {} : { 'Retry-After': String(problem.retryAfter) }),
    },
    body: JSON.stringify(problemBody(problem, requestId)),
  };
}
