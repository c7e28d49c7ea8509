import { defineConfig } from 'vitest/config';
import { deep, parts } from './scripts/parts.mjs';
import SlowestFirst from './scripts/sequence.mjs';
import { systemPostgres } from './scripts/system-postgres.mjs';

type Part = (typeof parts)[string];

const hasSystemPostgres = systemPostgres() !== undefined;
const isDeep = process.env['TEST_DEEP'] === '1';

/** One project a part: see `scripts/parts.mjs`. Every test file makes its own database in the cluster of its project. */
function project(
  name: string,
  part: Part,
  more: { exclude?: string[]; env?: Record<string, string>; isolate?: true } = {},
) {
  const database = part.database === 'external' && !hasSystemPostgres ? 'embedded' : part.database;
  return {
    test: {
      name,
      environment: 'node' as const,
      setupFiles: ['tests/support/effort.ts'],
      runner: 'tests/support/late.ts',
      include: [...part.include],
      exclude: ['**/node_modules/**', ...(more.exclude ?? [])],
      isolate: more.isolate ?? part.together !== true,
      testTimeout: part.longestTest ?? 300_000,
      hookTimeout: 240_000,
      expect: { poll: { timeout: 60_000 } },
      globalSetup: [
        ...(database ? ['tests/support/cluster.ts'] : []),
        ...(part.browser ? ['tests/support/browser-path.ts'] : []),
      ],
      env: { ...(database ? { TEST_DATABASE: database } : {}), ...more.env },
    },
  };
}

const everyday = Object.entries(parts).flatMap(([name, part]) => [
  project(name, part, { exclude: [...deep.only, ...(part.alone ?? [])] }),
  ...(part.alone ? [project(`${name}-alone`, { ...part, include: part.alone }, { isolate: true })] : []),
  ...(part.alsoExternal && hasSystemPostgres
    ? [project(`${name}-external`, { ...part, include: part.alsoExternal, database: 'external' })]
    : []),
]);

/** The long searches; what the caller has set wins. */
const searches = () => {
  const env = Object.entries(deep.env).map(([key, value]) => [key, process.env[key] ?? value]);
  const part: Part = { ...deep, include: [...deep.include, ...deep.only], database: 'embedded' };
  return project('deep', part, { env: Object.fromEntries(env) as Record<string, string> });
};

export default defineConfig({
  test: {
    // More than the two cores the tests are made for, because many tests wait: for a timeout, a restart, another person.
    maxWorkers: 3,
    sequence: { sequencer: SlowestFirst },
    projects: [...everyday, ...(isDeep ? [searches()] : [])],
  },
});
