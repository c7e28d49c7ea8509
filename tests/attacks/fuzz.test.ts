// Row G22. One seed again: FUZZ_SEED=4711 npm test -- attacks. More of them: npm run fuzz -- 1000000
import { expect, test } from 'vitest';
import { replay } from './fuzz.ts';
import { runFuzz } from './fuzz-run.ts';

const only = process.env['FUZZ_SEED'];
const mutants = Number(process.env['FUZZ_MUTANTS'] ?? 10_000);

test(
  'G22 mutants of honest messages: nothing hangs, every document loads, the honest ones agree',
  { timeout: 600_000 + mutants * 10 },
  async () => {
    const report = await runFuzz(only ? 1 : mutants, Number(only ?? 1), console.log);
    expect(report.wrong).toEqual([]);
    // Most are refused; those that get through are the ones that matter.
    expect(report.events['refused']).toBeGreaterThan(only ? 0 : 1000);
    expect(report.grown).toBeLessThan(64 * 1024 * 1024);
  },
);

test(
  'V22 60 honest sessions with pastes, undo, nested maps and time offline: nothing is refused',
  { timeout: 600_000 },
  async () => {
    let updates = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      const session = await replay(seed);
      expect(session.wrong, `seed ${seed}`).toEqual([]);
      updates += session.updates;
    }
    expect(updates).toBeGreaterThan(1500);
  },
);
