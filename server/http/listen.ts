import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { newId } from '#shared/ids.ts';
import { Problem, problemBody, type ProblemCode } from '#shared/problems.ts';
import type { Env } from './env.ts';
import { plainHeaders } from './headers.ts';

/** How long a caller may keep us waiting, in milliseconds. */
export interface Patience {
  /** For all headers of a request. */
  headers: number;
  /** For a body that is read as a whole (JSON, forms); a recording has the time of a request. */
  body: number;
  request: number;
  /** Between two requests of one connection. */
  idle: number;
  /** For a client that takes nothing of an answer, or gives nothing of a request. */
  silence: number;
  /** For requests under way when the house stops. */
  farewell: number;
}

const usualPatience: Patience = {
  headers: 10_000,
  body: 30_000,
  // The largest recording over a line of 2 Mbit/s; who sends nothing for `silence` is cut long before.
  request: 3 * 3_600_000,
  idle: 60_000,
  silence: 120_000,
  farewell: 5000,
};

type Handler = (request: Request, env: Env['Bindings']) => Response | Promise<Response>;

export interface Door {
  port: number;
  /** For what is not a request and an answer: sockets that stay open. */
  server: Server;
  /** From now on this answers. */
  answer(handler: Handler): void;
  /** Lets nobody in any more; requests under way get a moment to finish, connections that only idle are closed at once. */
  close(): Promise<void>;
}

/** The listening socket, and answers to what never becomes a request of the app. */
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
      // No valid address came out of the request line and the Host header; or the app failed to answer at all.
      errorHandler: (error) => answerTo(error instanceof RequestError ? 'BAD_REQUEST' : 'INTERNAL'),
    },
  );
  const options = {
    headersTimeout: patience.headers,
    requestTimeout: patience.request,
    keepAliveTimeout: patience.idle,
    connectionsCheckingInterval: Math.min(1000, patience.headers / 4),
    maxHeaderSize: 16_384,
    // Answered like any other request that cannot be read, with all our headers.
    requireHostHeader: false,
  };
  let closed: Promise<void> | undefined;
  const inWork = new Map<Duplex, ServerResponse>();
  const server = createServer(options, (incoming, outgoing) => {
    const { socket } = incoming;
    inWork.set(socket, outgoing);
    // Older than the Host header, and still how some check whether we live.
    if (incoming.httpVersionMinor === 0) incoming.headers.host ??= 'localhost';
    outgoing.shouldKeepAlive &&= !closed;
    outgoing.once('close', () => {
      inWork.delete(socket);
      if (closed) server.closeIdleConnections();
    });
    void listener(incoming, outgoing);
  });
  server.timeout = patience.silence;
  // Only 100-continue means anything, and Node sees to that; the rest of Expect may be ignored.
  server.on('checkExpectation', (incoming, outgoing) => server.emit('request', incoming, outgoing));
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => refuse(socket, 'METHOD'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // An answer in the middle of another would be read as part of it.
    if (error.code === 'ECONNRESET' || !socket.writable || inWork.get(socket)?.headersSent) socket.destroy();
    else refuse(socket, parserFailures[error.code ?? ''] ?? 'BAD_REQUEST');
  });

  const close = () =>
    (closed ??= new Promise((resolve) => {
      // Whoever still has a connection open and asks for more is told to come back.
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

/** While the house is not standing yet, or where there is nothing to ask it. */
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
