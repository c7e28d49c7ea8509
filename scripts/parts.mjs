// @ts-check
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What `npm test` runs, the quick parts first; each is a project of vitest.config.ts. `product`: it runs what
 * `npm start` would; `browser`: it drives one; `again`: the files of it, by the beginning of their paths, that run a
 * second time on the PostgreSQL of the system: those that show something else where the database is another.
 * @type {Record<string, {product?: true, browser?: true, again?: readonly string[]}>}
 */
export const parts = {
  unit: {},
  sim: {},
  house: {},
  db: {},
  api: { again: ['tests/api/'] },
  // Triggers and notices, the log and its locks, what is tidied up.
  sync: { product: true, again: ['access', 'generation', 'keeper', 'log'].map((name) => `tests/sync/${name}.test.ts`) },
  contracts: { again: ['tests/contracts/'] },
  attacks: {},
  // Its crashes, its hangs, its full disks.
  faults: {
    product: true,
    again: ['database', 'kill', 'postgres'].map((name) => `tests/faults/${name}.test.ts`),
  },
  commands: { product: true },
  e2e: { product: true, browser: true },
};

/**
 * The files of these parts that run a second time; with `chosen`, only those of them that it names, as vitest would.
 * @param {string} root
 * @param {Iterable<string>} names
 * @param {readonly string[]} chosen
 */
export function filesAgain(root, names, chosen = []) {
  const starts = [...names].flatMap((name) => parts[name]?.again ?? []);
  if (starts.length === 0) return [];
  const files = readdirSync(join(root, 'tests'), { recursive: true, encoding: 'utf8' })
    .map((name) => `tests/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.test.ts') && starts.some((start) => name.startsWith(start)));
  return files
    .filter((name) => chosen.length === 0 || chosen.some((word) => name.includes(word.replace(/^\.\//, ''))))
    .toSorted();
}
