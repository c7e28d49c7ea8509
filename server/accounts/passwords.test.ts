import * as argon2 from '@node-rs/argon2';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '#shared/accounts.ts';
import { createPasswords, quick } from './passwords.ts';

vi.mock('@node-rs/argon2', async (original) => {
  const real = await original<typeof argon2>();
  return { ...real, verify: vi.fn<typeof argon2.verify>(real.verify) };
});
beforeEach(() => {
  vi.mocked(argon2.verify).mockClear();
});

describe('passwords', () => {
  test('accepts the right one and refuses others', async () => {
    const passwords = await createPasswords(quick);
    const stored = await passwords.hash('correct horse');
    expect(stored).toMatch(/^\$argon2id\$/);
    expect(await passwords.verify(stored, 'correct horse')).toBe(true);
    expect(await passwords.verify(stored, 'correct horse ')).toBe(false);
  });

  test('without an account it does the same work, at the same cost, and refuses', async () => {
    const passwords = await createPasswords(quick);
    const stored = await passwords.hash('correct horse');
    expect(await passwords.verify(stored, 'not this one')).toBe(false);
    expect(await passwords.verify(null, 'not this one')).toBe(false);
    const costs = vi.mocked(argon2.verify).mock.calls.map(([hash]) => String(hash).split('$').slice(0, 4));
    expect(costs).toHaveLength(2);
    expect(costs[0]).toEqual(costs[1]);
  });

  test('treats two spellings of the same letters as one', async () => {
    const passwords = await createPasswords(quick);
    const stored = await passwords.hash('pa\u0073\u0073wo\u0308rd');
    expect(await passwords.verify(stored, 'passw\u00f6rd')).toBe(true);
  });

  test('does no work for input longer than a password can be', async () => {
    const passwords = await createPasswords(quick);
    const stored = await passwords.hash('correct horse');
    expect(await passwords.verify(stored, 'x'.repeat(limits.passwordBytes + 1))).toBe(false);
    expect(argon2.verify).not.toHaveBeenCalled();
    expect(await passwords.verify(stored, 'x'.repeat(limits.passwordBytes))).toBe(false);
    expect(argon2.verify).toHaveBeenCalledOnce();
  });

  test('hashes at least at the cost OWASP recommends', async () => {
    const passwords = await createPasswords();
    const [, , , cost = ''] = (await passwords.hash('correct horse')).split('$');
    const { m, t } = Object.fromEntries(cost.split(',').map((part) => part.split('=')));
    expect(Number(m)).toBeGreaterThanOrEqual(19_456);
    expect(Number(t)).toBeGreaterThanOrEqual(2);
  });
});
