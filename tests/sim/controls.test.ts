// The checks of the simulation notice each fault that is planted on purpose; a check that cannot fail proves nothing.
import { afterEach, describe, expect, test, vi } from 'vitest';
import type * as Gate from '#sync/server/gate.ts';
import { simulate, type Wanted } from './run.ts';

/** Counts updates the gate has judged; refuses every `refusesEach`th for no reason. */
const gate = vi.hoisted(() => ({ judged: 0, refusesEach: Infinity }));
vi.mock(import('#sync/server/gate.ts'), async (original) => {
  const actual: typeof Gate = await original();
  const { Refused } = await import('#sync/server/inspect.ts');
  return {
    ...actual,
    judge: (...given) => {
      gate.judged += 1;
      if (gate.judged % gate.refusesEach === 0) throw new Refused('no reason at all');
      return actual.judge(...given);
    },
  };
});
afterEach(() => Object.assign(gate, { judged: 0, refusesEach: Infinity }));

describe('the checks notice', () => {
  /** The first fault that any of twelve seeds finds. */
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

  test('L1: the same, by comparing the end states alone', async () => {
    expect(await noticed({ lie: 'acknowledges before storing', onlyAtTheEnd: true })).not.toBeNull();
  });

  test('G3: a client that takes the client ids of others, if ids have no owners', async () => {
    expect(await noticed({ lie: 'lets anybody own a client id', squatter: true })).not.toBeNull();
  });

  test('G3: the same client does no harm if ids have owners', async () => {
    expect(await noticed({ squatter: true })).toBeNull();
  });

  test('G1 G3 G4: a thousand honest updates pass the gate, and were one of 200 refused, this would show', async () => {
    expect(await noticed({})).toBeNull();
    expect(gate.judged).toBeGreaterThan(1000);
    gate.refusesEach = 200;
    expect(await noticed({})).toMatch(/honest update was refused.*no reason at all/);
  });
});
