import { defineConfig } from 'vitest/config';

// One project a kind of test; `npm test -- api` runs one. Projects that need a database share one cluster,
// started once in globalSetup; every test file makes its own database in it.
// None of the times is an assertion: they end what hangs, also where the machine is slow and others use it.
const base = {
  environment: 'node',
  testTimeout: 120_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000 } },
} as const;
const withDatabase = { ...base, globalSetup: ['tests/support/cluster.ts'] };

export default defineConfig({
  test: {
    maxWorkers: 2,
    projects: [
      { test: { ...base, name: 'unit', include: ['{shared,sync,server,client,scripts}/**/*.test.{ts,tsx}'] } },
      { test: { ...base, name: 'db', include: ['db/**/*.test.ts'], testTimeout: 300_000 } },
      { test: { ...base, name: 'sim', include: ['tests/{sim,transcript}/**/*.test.ts'], testTimeout: 3_600_000 } },
      { test: { ...base, name: 'house', include: ['tests/house/**/*.test.ts'], testTimeout: 300_000 } },
      { test: { ...withDatabase, name: 'api', include: ['tests/api/**/*.test.ts'] } },
      { test: { ...withDatabase, name: 'sync', include: ['tests/sync/**/*.test.ts'], testTimeout: 300_000 } },
      { test: { ...withDatabase, name: 'contracts', include: ['tests/contracts/**/*.test.ts'] } },
      { test: { ...withDatabase, name: 'attacks', include: ['tests/attacks/**/*.test.ts'] } },
      { test: { ...withDatabase, name: 'faults', include: ['tests/faults/**/*.test.ts'], testTimeout: 300_000 } },
      { test: { ...base, name: 'commands', include: ['tests/commands/**/*.test.ts'], testTimeout: 1_200_000 } },
      { test: { ...withDatabase, name: 'e2e', include: ['tests/e2e/**/*.test.ts'], testTimeout: 300_000 } },
    ],
  },
});
