// @ts-check

/**
 * One kind of test; a project of vitest.config.ts of the same name.
 * @typedef {object} Part
 * @property {readonly string[]} include Globs of its files.
 * @property {'embedded' | 'external'} [database] Its cluster; `external` is the system's PostgreSQL, and the embedded
 *   one where the system has none.
 * @property {readonly string[]} [alsoExternal] Files that also run on the system's PostgreSQL, because another database
 *   may answer differently there: triggers and notices, locks, crashes. They are the project `<part>-external`.
 * @property {true} [together] Its files share a process: nothing of one file reaches the next.
 * @property {readonly string[]} [alone] Files that cannot, because they replace modules. They are the project
 *   `<part>-alone`.
 * @property {number} [longestTest] Milliseconds, if not five minutes. Not an assertion: it ends what hangs, also on a slow
 *   and busy machine.
 * @property {true} [product] It runs what `npm start` would, so the builds must be fresh.
 * @property {true} [browser] It drives a browser.
 * @property {string} why What its tests hold, for a failed one whose file does not begin with a comment.
 */

const minute = 60_000;

/**
 * Parts of `npm test`, in the order of its totals.
 * @type {Record<string, Part>}
 */
export const parts = {
  unit: {
    why: 'the file it stands beside does what its name says (docs/testing.md)',
    include: ['{shared,sync,server,client,scripts}/**/*.test.{ts,tsx}'],
    together: true,
  },
  sim: {
    why: 'edits converge and none is lost, whatever the network does (sync/SPEC.md)',
    include: ['tests/{sim,transcript}/**/*.test.ts'],
    longestTest: 10 * minute,
  },
  house: {
    why: 'the order of the house: walls, names, texts, documents (docs/testing.md)',
    include: ['tests/house/**/*.test.ts'],
    together: true,
  },
  db: {
    why: 'migrations, the embedded PostgreSQL, and the rules kept by the database (db/)',
    include: ['db/**/*.test.ts'],
  },
  api: {
    why: 'what each call answers, by whose permission (shared/roles.ts, tests/api/tables.ts)',
    include: ['tests/api/**/*.test.ts'],
    database: 'external',
    together: true,
  },
  sync: {
    why: 'the numbered rules of live editing (sync/SPEC.md)',
    include: ['tests/sync/**/*.test.ts'],
    database: 'embedded',
    alsoExternal: ['access', 'generation', 'keeper', 'log'].map((name) => `tests/sync/${name}.test.ts`),
    product: true,
  },
  contracts: {
    why: 'every implementation of an interface behaves the same (docs/testing.md)',
    include: ['tests/contracts/**/*.test.ts'],
    database: 'embedded',
    alsoExternal: ['tests/contracts/database.test.ts'],
    together: true,
  },
  attacks: {
    why: 'nobody reads or changes what is not theirs (docs/testing.md)',
    include: ['tests/attacks/**/*.test.ts'],
    database: 'external',
    together: true,
    alone: ['tests/attacks/{controls,wire-controls}.test.ts'],
  },
  faults: {
    why: 'nothing acknowledged is lost when a process, disk or network fails (docs/testing.md)',
    include: ['tests/faults/**/*.test.ts'],
    database: 'embedded',
    alsoExternal: ['database', 'kill', 'postgres'].map((name) => `tests/faults/${name}.test.ts`),
    product: true,
  },
  commands: {
    why: 'the commands of package.json work on a fresh clone (docs/testing.md)',
    include: ['tests/commands/**/*.test.ts'],
    longestTest: 20 * minute,
    product: true,
  },
  smoke: {
    why: 'the product runs on the newest Node LTS (docs/testing.md)',
    include: ['tests/smoke/**/*.test.ts'],
    product: true,
  },
  e2e: {
    why: 'what people do in a browser works, by mouse, keyboard and screen reader (docs/testing.md)',
    include: ['tests/e2e/**/*.test.ts'],
    database: 'embedded',
    together: true,
    product: true,
    browser: true,
  },
};

/**
 * `npm test -- deep`: the long searches, of which `npm test` runs a short form. `env` makes the same files search longer,
 * where the caller has not said how long; `only` runs nowhere else.
 */
export const deep = {
  why: 'the long searches find nothing (docs/testing.md)',
  include: [
    'shared/formats/fuzz.test.ts',
    'tests/sim/**/*.test.ts',
    'tests/transcript/{convergence,undo}.test.ts',
    'tests/attacks/{fuzz,two-worlds}.test.ts',
    'db/embedded.test.ts',
    'tests/faults/{finding,kill,power,upload}.test.ts',
    'tests/sync/rest-history.test.ts',
    'tests/api/{contract,long-transcripts,money-histories}.test.ts',
  ],
  only: ['tests/commands/{dev,fresh,new-checks}.test.ts'],
  env: {
    FUZZ_FORMATS: '100000',
    SIM_SEEDS: '5000',
    TRANSCRIPT_SEEDS: '20000',
    UNDO_SEEDS: '5000',
    FUZZ_MUTANTS: '1000000',
    TWO_WORLDS: 'deep',
    EMBEDDED_KILLS: '50',
    KILL_ROUNDS: '200',
    POWER_CUTS: '20',
    UPLOAD_BYTES: String(2 ** 31),
    REST_SEEDS: '20',
    API_SEED: '2',
    LONG_WORDS: '250000',
    MONEY_SEEDS: '200',
  },
  longestTest: 240 * minute,
};

/**
 * A machine with less than three quarters of the usual speed does half of these searches and runs no file again on the
 * system's PostgreSQL: all of it could take longer than CI allows.
 */
export const slow = {
  /** CPU seconds of the fixed work of effort.mjs; usual are 0.38. */
  from: 0.5,
  env: {
    FUZZ_FORMATS: '5000',
    SIM_SEEDS: '250',
    TRANSCRIPT_SEEDS: '750',
    UNDO_SEEDS: '40',
    FUZZ_MUTANTS: '5000',
    KILL_ROUNDS: '3',
    EMBEDDED_KILLS: '3',
  },
};

/** The most a whole run may cost with its browsers, as a multiple of the fixed work of effort.mjs, which takes 0.375 s of CPU
 * on the machine this was measured on: 42 minutes of CPU on each of two cores. */
export const budget = 13_400;

export const partNames = [...Object.keys(parts), 'deep'];

/** @param {string} project The part that a project belongs to, and whether it runs its files again on the system's PostgreSQL. */
export const partOf = (project) => ({
  part: project.replace(/-(external|alone)$/, ''),
  external: project.endsWith('-external'),
});

/** Returns the page or rule that the tests of a project hold. @param {string} project */
export const whyOf = (project) => (project === 'deep' ? deep.why : parts[partOf(project).part]?.why);

/**
 * The projects of these parts, as arguments of vitest. Projects that the machine cannot run are not in its config.
 * @param {Iterable<string>} names
 * @param {{twice?: boolean}} [which] `twice`: with files that run again on the system's PostgreSQL.
 */
export const projectArgs = (names, { twice = true } = {}) =>
  [...names].flatMap((name) => {
    const { alsoExternal, alone } = parts[name] ?? {};
    const isTwice = twice && alsoExternal !== undefined;
    const projects = [name, ...(isTwice ? [`${name}-external`] : []), ...(alone ? [`${name}-alone`] : [])];
    return projects.flatMap((project) => ['--project', project]);
  });
