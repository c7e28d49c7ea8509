import type { Context, ErrorHandler } from 'hono';
import { Problem, problemBody } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import type { Env } from './env.ts';

/** The one place where a failure becomes an answer. What is not a Problem is ours: logged whole, told as nothing. */
export const onError: ErrorHandler<Env> = (error, c) => {
  const ctx = c.get('ctx') as Ctx | undefined;
  const problem = asProblem(error);
  if (problem.code === 'INTERNAL') ctx?.log.error({ err: error, requestId: ctx.requestId, route: c.req.routePath }, 'request failed');
  return problemAnswer(c, problem, ctx?.requestId ?? '');
};

export function problemAnswer(c: Context<Env>, problem: Problem, requestId: string): Response {
  if (problem.retryAfter !== undefined) c.header('Retry-After', String(problem.retryAfter));
  if (problem.code === 'BIG') c.header('Connection', 'close');
  c.header('Content-Type', 'application/problem+json; charset=utf-8');
  return c.body(JSON.stringify(problemBody(problem, requestId)), problem.status as 500);
}

/** Failures of the database that will pass: the caller may try again. 53100 is a full disk. */
const passing = new Set(['CONNECT_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECTION_DESTROYED', 'ECONNREFUSED', 'ECONNRESET', '55P03', '57014', '57P01', '57P02', '57P03', '40001', '40P01', '53300', '08006', '08001']);

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    if (code === '53100') return new Problem('UNSAVED', { cause: error });
    if (passing.has(code)) return new Problem('UNAVAILABLE', { retryAfter: 5, cause: error });
  }
  return new Problem('INTERNAL', { cause: error });
}
