import { MutationObserver, QueryObserver } from '@tanstack/react-query';
import { beforeEach, describe, expect, it, vi } from 'vitest';

import { ApiError } from './api.ts';
import { createQueries } from './queries.ts';

const refusal = (status: number) => new ApiError({ status, code: 'X', message: '', requestId: 'r' });

const onSignedOut = vi.fn<() => void>();
const onFailure = vi.fn<(error: unknown) => void>();
beforeEach(() => vi.clearAllMocks());

async function change(error: unknown, meta?: { stay?: boolean; quiet?: boolean }): Promise<void> {
  const queries = createQueries({ onSignedOut, onFailure });
  const mutation = new MutationObserver(queries, { mutationFn: () => Promise.reject(error), ...(meta && { meta }) });
  await expect(mutation.mutate()).rejects.toBe(error);
}

async function read(answers: (() => Promise<string>)[], meta?: { stay?: boolean }): Promise<number> {
  const queries = createQueries({ onSignedOut, onFailure });
  let calls = 0;
  const queryFn = () => answers[calls++]?.() ?? Promise.reject(new Error('asked too often'));
  const query = new QueryObserver(queries, { queryKey: ['x'], queryFn, ...(meta && { meta }) });
  for (const _ of answers) await query.refetch();
  return calls;
}

describe('a change that fails', () => {
  it('is shown in a notice', async () => {
    const error = refusal(500);
    await change(error);
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(error);
    expect(onSignedOut).not.toHaveBeenCalled();
  });

  it('is left to the screen where it is marked as quiet', async () => {
    await change(refusal(422), { quiet: true });
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('leads to the sign-in page when the session has ended', async () => {
    await change(refusal(401));
    expect(onSignedOut).toHaveBeenCalledOnce();
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('stays where a 401 is an answer', async () => {
    await change(refusal(401), { stay: true, quiet: true });
    expect(onSignedOut).not.toHaveBeenCalled();
    expect(onFailure).not.toHaveBeenCalled();
  });
});

describe('a read that fails', () => {
  const fails = (status: number) => () => Promise.reject(refusal(status));
  const fine = () => Promise.resolve('data');

  it('is left to the screen that waits for it, and not retried', async () => {
    expect(await read([fails(500)])).toBe(1);
    expect(onFailure).not.toHaveBeenCalled();
  });

  it('is shown in a notice where the screen has data already', async () => {
    await read([fine, fails(0)]);
    expect(onFailure).toHaveBeenCalledOnce();
  });

  it('leads to the sign-in page, unless it says otherwise', async () => {
    await read([fails(401)]);
    expect(onSignedOut).toHaveBeenCalledOnce();
    await read([fails(401)], { stay: true });
    expect(onSignedOut).toHaveBeenCalledOnce();
  });
});
