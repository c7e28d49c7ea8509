import { describe, expect, test } from 'vitest';
import { invalid, Problem, problemBody, problemStatus, type ProblemCode } from './problems.ts';

const codes = Object.keys(problemStatus) as ProblemCode[];

describe('problems', () => {
  test.each(codes)('%s has a status, a title and a message', (code) => {
    const body = problemBody(new Problem(code), 'request-1');
    expect(body).toEqual({
      type: `/problems/${code.toLowerCase().replaceAll('_', '-')}`,
      title: expect.stringMatching(/\S/),
      status: problemStatus[code],
      code,
      message: body.title,
      requestId: 'request-1',
      info: { code, message: body.title, errors: [] },
    });
    expect(body.status).toBeGreaterThanOrEqual(400);
    expect(body.status).toBeLessThan(600);
  });

  test('its own message is in both places, with further information beside it', () => {
    const conflict = new Problem('CONFLICT', { message: 'Somebody was faster', info: { version: 7 } });
    expect(problemBody(conflict, 'r')).toMatchObject({
      title: 'It was changed in the meantime',
      message: 'Somebody was faster',
      info: { code: 'CONFLICT', message: 'Somebody was faster', version: 7 },
    });
  });

  test('further information never overrides the code', () => {
    const odd = new Problem('RATE', { info: { code: 'UNAUTH', message: 'other', errors: 'other' } });
    expect(problemBody(odd, 'r').info).toEqual({ code: 'RATE', message: odd.message, errors: [] });
  });

  test('wrong fields are listed with a code each', () => {
    const problem = invalid({ field: 'email', code: 'email' }, { field: 'password', code: 'required' });
    expect(problem.status).toBe(422);
    expect(problemBody(problem, 'r').info.errors).toEqual([
      { field: 'email', code: 'email' },
      { field: 'password', code: 'required' },
    ]);
  });

  test('the cause is kept on the server and never sent', () => {
    const problem = new Problem('INTERNAL', { cause: new Error('secret words') });
    expect((problem.cause as Error).message).toBe('secret words');
    expect(JSON.stringify(problemBody(problem, 'r'))).not.toContain('secret words');
  });
});
