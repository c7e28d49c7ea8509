import { DrizzleQueryError } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { Problem, problemBody, problemStatus, type ProblemCode } from '#shared/problems.ts';
import { asProblem } from './answer.ts';

const withCode = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });

test.each<[string, ProblemCode]>([
  ['53100', 'UNSAVED'],
  ['58030', 'UNSAVED'],
  ['53200', 'UNAVAILABLE'],
  ['53300', 'UNAVAILABLE'],
  ['08006', 'UNAVAILABLE'],
  ['08001', 'UNAVAILABLE'],
  ['25006', 'UNAVAILABLE'],
  ['25P03', 'UNAVAILABLE'],
  ['40001', 'UNAVAILABLE'],
  ['40P01', 'UNAVAILABLE'],
  ['55P03', 'UNAVAILABLE'],
  ['57014', 'UNAVAILABLE'],
  ['57P01', 'UNAVAILABLE'],
  ['57P02', 'UNAVAILABLE'],
  ['57P03', 'UNAVAILABLE'],
  ['CONNECT_TIMEOUT', 'UNAVAILABLE'],
  ['CONNECTION_CLOSED', 'UNAVAILABLE'],
  ['CONNECTION_DESTROYED', 'UNAVAILABLE'],
  ['CONNECTION_ENDED', 'UNAVAILABLE'],
  ['NO_CONNECTION', 'UNAVAILABLE'],
  ['ECONNREFUSED', 'UNAVAILABLE'],
  ['ECONNRESET', 'UNAVAILABLE'],
  ['EPIPE', 'UNAVAILABLE'],
  ['23505', 'INTERNAL'],
  ['22P02', 'INTERNAL'],
  ['42P01', 'INTERNAL'],
  ['ENOENT', 'INTERNAL'],
])('%s from the database is %s', (code, expected) => {
  for (const error of [
    withCode(code),
    new DrizzleQueryError('select 1', [], withCode(code)),
    new Error('outside', { cause: withCode(code) }),
  ]) {
    const problem = asProblem(error);
    expect(problem.code).toBe(expected);
    expect(problem.retryAfter !== undefined).toBe(expected !== 'INTERNAL');
    expect(problem.cause).toBe(error);
    expect(JSON.stringify(problemBody(problem, 'some-request'))).not.toMatch(/select|failed with|outside/);
  }
});

test('answers 507 for a full disk, 503 for temporary failures, and 500 for everything else', () => {
  expect([
    asProblem(withCode('53100')).status,
    asProblem(withCode('57P01')).status,
    asProblem(withCode('?')).status,
  ]).toEqual([507, 503, 500]);
});

test('answers a problem as it is, and turns any other error into one', () => {
  const problem = new Problem('CONFLICT', { info: { version: 3 } });
  expect(asProblem(problem)).toBe(problem);
  for (const thrown of ['text', null, undefined, 7, {}]) expect(asProblem(thrown).code).toBe('INTERNAL');
});

test('gives every code a fitting status and a body with the expected fields only', () => {
  for (const code of Object.keys(problemStatus) as ProblemCode[]) {
    const body = problemBody(new Problem(code, { info: { code: 'other', message: 'other', more: 1 } }), 'id');
    expect(body).toMatchObject({
      status: problemStatus[code],
      code,
      info: { code, message: body.message, errors: [], more: 1 },
    });
    expect(body.type).toMatch(/^\/problems\/[a-z-]+$/);
  }
});
