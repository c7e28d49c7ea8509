import type { Context, ErrorHandler, TypedResponse } from 'hono';
import { matchedRoutes } from 'hono/route';
import { Problem, problemBody } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import type { Env } from './env.ts';

/**
 * Turns every failure into an answer. Errors other than a Problem are logged in full, and the answer says nothing of
 * them.
 */
export const onError: ErrorHandler<Env> = (error, c) => {
  const ctx = c.get('ctx') as Ctx | undefined;
  const problem = asProblem(error);
  const about = { err: problem.cause, requestId: ctx?.requestId, route: routeOf(c) };
  if (problem.code === 'INTERNAL') ctx?.log.error(about, 'request failed');
  else if (problem.status > 500) ctx?.log.warn(about, 'request refused: something the house needs did not work');
  return problemAnswer(c, problem, ctx?.requestId ?? '');
};

/** Pattern of the route, for log and metrics: a path may contain a secret, and there is no limit to their number. */
export const routeOf = (c: Context<Env>): string =>
  matchedRoutes(c).find(({ path }) => !path.endsWith('*'))?.path ?? '*';

/** Problems after which the connection is closed, because the rest of the request is not read. */
const closing = new Set(['BIG', 'SLOW', 'HEADERS']);

function problemAnswer(c: Context<Env>, problem: Problem, requestId: string): Response {
  if (problem.retryAfter !== undefined) c.header('Retry-After', String(problem.retryAfter));
  if (closing.has(problem.code)) c.header('Connection', 'close');
  c.header('Content-Type', 'application/problem+json; charset=utf-8');
  return c.body(JSON.stringify(problemBody(problem, requestId)), problem.status as 500);
}

/** Codes of the database, or of the connection to it, for temporary failures that the caller may retry. */
const passing =
  /^(CONNECT_TIMEOUT|CONNECTION_(CLOSED|ENDED|DESTROYED)|NO_CONNECTION|E(CONNREFUSED|CONNRESET|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|AI_AGAIN|NOTFOUND)|08\w{3}|25006|25P03|40001|40P01|53\w{3}|55P03|57\w{3})$/;
/** Codes of a full or failing disk. */
const unsaved = /^(53100|58030)$/;

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (unsaved.test(code)) return new Problem('UNSAVED', { retryAfter: 60, cause: error });
    if (passing.test(code)) return new Problem('UNAVAILABLE', { retryAfter: 5, cause: error });
  }
  return new Problem('INTERNAL', { cause: error });
}

/** An answer that is JSON already; `T` tells the typed client what it holds. */
export function jsonBytes<T>(
  c: Context<Env>,
  bytes: Uint8Array<ArrayBuffer>,
): Response & TypedResponse<T, 200, 'json'> {
  c.header('Content-Type', 'application/json');
  return c.body(bytes) as Response as Response & TypedResponse<T, 200, 'json'>;
}
