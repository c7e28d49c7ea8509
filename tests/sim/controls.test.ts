import { describe, expect, test } from 'vitest';
import { simulate, type Wanted } from './run.ts';

describe('what the checks notice', () => {
  /** What the first run finds in which chance makes it show. */
  async function noticed(wanted: Wanted): Promise<string | null> {
    for (let seed = 1; seed <= 12; seed += 1) {
      const { wrong } = await simulate(seed, wanted);
      if (wrong !== null) return wrong;
    }
    return null;
  }

  test('L1: an append that acknowledges without storing', async () => {
    expect(await noticed({ lie: 'acknowledges without storing' })).not.toBeNull();
  });

  test('L1: passing on and acknowledging before the commit, and a crash in between', async () => {
    expect(await noticed({ lie: 'acknowledges before storing' })).not.toBeNull();
  });

  test('L1: the same, by what is left at the end alone', async () => {
    expect(await noticed({ lie: 'acknowledges before storing', onlyAtTheEnd: true })).not.toBeNull();
  });

  test('G3: somebody who takes the client ids of others, where they belong to nobody', async () => {
    expect(await noticed({ lie: 'lets anybody own a client id', squatter: true })).not.toBeNull();
  });

  test('G3: the same person does no harm where they belong to somebody', async () => {
    expect(await noticed({ squatter: true })).toBeNull();
  });
});
