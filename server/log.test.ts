import { DrizzleQueryError } from 'drizzle-orm';
import { Writable } from 'node:stream';
import postgres from 'postgres';
import { describe, expect, test } from 'vitest';
import { createLog } from './log.ts';

function capture(write: (log: ReturnType<typeof createLog>) => void): {
  text: string;
  lines: Record<string, unknown>[];
} {
  let text = '';
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  write(createLog('debug', sink));
  const lines = text.split('\n').filter(Boolean);
  return { text, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('an error in the log', () => {
  const told = Object.assign(new postgres.PostgresError('invalid input syntax for type integer: "my secret"'), {
    code: '22P02',
    severity: 'ERROR',
    detail: 'Key (email)=(my secret) already exists.',
    table_name: 'users',
    routine: 'pg_strtoint32',
  });

  test('says what the database refused, without the values', () => {
    const error = new DrizzleQueryError('insert into users (email) values ($1)', ['my secret'], told);
    const { text, lines } = capture((log) => log.error({ err: error, requestId: 'abc' }, 'request failed'));
    expect(text).not.toContain('my secret');
    expect(lines).toMatchObject([
      { level: 'error', msg: 'request failed', requestId: 'abc', err: { type: 'DrizzleQueryError' } },
    ]);
    expect(lines[0]?.['err']).toMatchObject({ cause: { type: 'PostgresError', code: '22P02', table: 'users' } });
    expect(text).toContain('log.test.ts');
  });

  test('says the type and origin of other failures', () => {
    const { lines } = capture((log) =>
      log.error({ err: new TypeError('x is not a function', { cause: new Error('why') }) }),
    );
    expect(lines).toMatchObject([
      { err: { type: 'TypeError', message: 'x is not a function', cause: { message: 'why' } } },
    ]);
    const error = lines[0]?.['err'] as { stack: string[] } | undefined;
    expect(error?.stack[0]).toMatch(/^at .*log\.test\.ts/);
  });

  test('accepts any thrown value', () => {
    for (const thrown of ['a text', null, undefined, 7, { some: 'object' }]) {
      expect(capture((log) => log.error({ err: thrown }, 'failed')).lines).toHaveLength(1);
    }
  });
});

test('secrets are never written, even when logged by mistake', () => {
  const words = { password: 'my secret', token: 'my secret', 'set-cookie': 'my secret', html: 'my secret' };
  const { text } = capture((log) =>
    log.info({ ...words, headers: { ...words, authorization: 'my secret' }, a: { b: words } }, 'oops'),
  );
  expect(text).not.toContain('my secret');
});

test('an entry is one line, whatever it contains', () => {
  const { lines } = capture((log) => log.info({ said: 'a\nb\r\n{"level":"fatal"}\u2028\u001b[31m' }, 'two\nlines'));
  expect(lines).toMatchObject([{ level: 'info', msg: 'two\nlines' }]);
});
