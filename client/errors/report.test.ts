import { describe, expect, it, vi } from 'vitest';

import { ApiError } from '../api.ts';
import { ChunkError } from '../load.ts';
import { createReporter, described } from './report.ts';

const secret = 'what Ann said in private';

function failing(error: Error): Error {
  error.stack = `${error.name}: ${error.message}\n    at open (https://colloquy.example/assets/a.js:1:20)\n    at https://colloquy.example/assets/b.js:3:4`;
  return error;
}

describe('the report of an error', () => {
  it('has its message and its place in the code', () => {
    expect(described(failing(new TypeError('Cannot read properties of undefined')))).toBe(
      'TypeError: Cannot read properties of undefined\n    at open (https://colloquy.example/assets/a.js:1:20)\n    at https://colloquy.example/assets/b.js:3:4',
    );
  });

  it('has the place as Firefox and Safari write it', () => {
    const error = new Error('no');
    error.stack = 'open@https://colloquy.example/assets/a.js:1:20\n@https://colloquy.example/assets/b.js:3:4\n';
    expect(described(error)?.split('\n')).toHaveLength(3);
  });

  it.each([
    `Unexpected token 'w', "${secret}" is not valid JSON`,
    `Unexpected token 'w', ..."${secret}"... is not valid JSON`,
    `Invalid content for node doc: <paragraph("${secret}")>`,
    `Invalid text: "${secret} \\"so\\" ${secret}"`,
    `Invalid text: "line\n${secret}"`,
    `Cut off: "${secret}`,
  ])('nothing it quotes: %s', (message) => {
    const told = described(failing(new SyntaxError(message)));
    expect(told).toMatch(/^SyntaxError: /);
    expect(told).not.toContain('Ann');
  });

  it('has only the type of a thrown value that is no Error', () => {
    expect(described(secret)).toBe('thrown: string');
    expect(described({ secret })).toBe('thrown: object');
  });

  it('is null for answers of the server, broken connections and aborts', () => {
    expect(described(new ApiError({ status: 500, code: 'INTERNAL', message: secret, requestId: 'r' }))).toBeNull();
    expect(described(new ChunkError('did not arrive'))).toBeNull();
    expect(described(new DOMException('left', 'AbortError'))).toBeNull();
  });

  it('is not longer than the server accepts', () => {
    expect(described(new Error('x'.repeat(9000)))?.length).toBe(4000);
  });
});

describe('reports', () => {
  function reporting(send: (message: string) => Promise<unknown> = () => Promise.resolve()) {
    const sent = vi.fn<typeof send>(send);
    const clock = { now: 0 };
    return { report: createReporter({ send: sent, now: () => clock.now }), sent, clock };
  }

  it('are sent once for each error', () => {
    const { report, sent } = reporting();
    for (let time = 0; time < 3; time += 1) report(failing(new Error('again')));
    expect(sent).toHaveBeenCalledOnce();
  });

  it('are sent at most five times a minute', () => {
    const { report, sent, clock } = reporting();
    for (let number = 0; number < 20; number += 1) report(new Error(`number ${number}`));
    expect(sent).toHaveBeenCalledTimes(5);
    clock.now = 60_000;
    report(new Error('later'));
    expect(sent).toHaveBeenCalledTimes(6);
  });

  it('that fail are ignored', async () => {
    const { report, sent } = reporting(() => Promise.reject(new Error('no connection')));
    report(new Error('one'));
    await Promise.resolve();
    expect(sent).toHaveBeenCalledOnce();
  });
});
