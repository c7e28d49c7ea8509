// The walls between the rooms, and the other rules that the linter holds. The real code must be clean; of the rules that
// need types, `npm run check` proves that, by the same command. Two model houses are generated from the configuration: the
// first breaks every wall and each message must appear; the second holds a legal twin of each, and nothing may be
// reported, because a wall that refuses everything proves nothing.
import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goEnv, linter, withTypes } from '../../scripts/lint/command.mjs';
import { read, root } from './files.ts';

interface Report {
  diagnostics: {
    message: string;
    help?: string;
    code?: string;
    filename: string;
    labels: { span: { line: number } }[];
  }[];
  number_of_files: number;
  number_of_rules: number;
}

async function lint(folder: string, ...more: string[]): Promise<Report> {
  const env = { ...process.env, ...goEnv };
  const args = [join(root, linter), '-f', 'json', ...more];
  const run = promisify(execFile)(process.execPath, args, { cwd: folder, env, maxBuffer: 1 << 26 });
  // Exit code 1 means findings; they are on the output all the same.
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  return JSON.parse(stdout) as Report;
}

const text = (finding: Report['diagnostics'][number]) => `${finding.code}: ${finding.message} ${finding.help ?? ''}`;

interface Wall {
  /** Path of the violation in the broken house. The last part `a` becomes a name of its own. */
  at: string;
  breaks: string;
  says: string;
  allows: string;
  /** Path of the twin in the legal house, if it differs. */
  twinAt?: string;
}

const byName = 'Cross into another room by its name';
const inside = 'Inside a room imports are relative';
const noTests = 'Nothing but tests and scripts imports #tests/';

const purity = 'shared/ is pure: it imports zod, yjs, lib0 and its own files';
const wire = 'The wire and its browser end';
const meet = 'sync/client and sync/server meet in sync/protocol.ts only';
const syncOut = 'sync/ knows neither screens nor what things cost';
const tables = 'db/ imports shared/ only';
const rendering = 'server/ answers with data, client/ renders it';
const typesOnly = 'At run time the client knows nothing of the server';
const oneReader = 'Only server/config.ts reads the environment';

const imports = (path: string) => `import '${path}';`;

const walls: Wall[] = [
  // Imports between rooms.
  ...['#db/open.ts', '#sync/protocol.ts', '#server/app.ts', '#client/api.ts'].map((path) => ({
    at: 'shared/a.ts',
    breaks: imports(path),
    says: purity,
    allows: imports('./twin.ts'),
  })),
  ...['node:fs', 'react', 'drizzle-orm', 'postgres', 'hono'].map((path) => ({
    at: 'shared/a.ts',
    breaks: imports(path),
    says: purity,
    allows: `${imports('zod')} ${imports('lib0/decoding')}`,
  })),
  ...['#server/app.ts', '#client/api.ts', '#sync/protocol.ts'].map((path) => ({
    at: 'db/schema/a.ts',
    breaks: imports(path),
    says: tables,
    allows: imports('#shared/ids.ts'),
  })),
  {
    at: 'db/a.ts',
    breaks: imports('hono'),
    says: 'db/ knows tables, neither HTTP nor screens',
    allows: imports('postgres'),
  },
  ...['#db/open.ts', '#server/app.ts', '#client/api.ts', 'node:fs', 'react', 'hono'].map((path) => ({
    at: 'sync/client/a.ts',
    breaks: imports(path),
    says: wire,
    allows: imports('#shared/ids.ts'),
  })),
  { at: 'sync/client/a.ts', breaks: imports('../server/door.ts'), says: meet, allows: imports('../protocol.ts') },
  { at: 'sync/server/a.ts', breaks: imports('../client/status.ts'), says: meet, allows: imports('../protocol.ts') },
  ...['#server/app.ts', '#client/api.ts', 'hono', 'react'].map((path) => ({
    at: 'sync/server/a.ts',
    breaks: imports(path),
    says: syncOut,
    allows: imports('#db/open.ts'),
  })),
  ...['#client/api.ts', 'react', '@mantine/core'].map((path) => ({
    at: 'server/a.ts',
    breaks: imports(path),
    says: rendering,
    allows: imports('#db/open.ts'),
  })),
  {
    at: 'server/a.ts',
    breaks: imports('#sync/client/status.ts'),
    says: 'Of sync/ the server uses sync/server and sync/protocol.ts',
    allows: `${imports('#sync/server/door.ts')} ${imports('#sync/protocol.ts')}`,
  },
  {
    at: 'client/library/a.tsx',
    breaks: imports('#sync/server/door.ts'),
    says: 'Of sync/ the client uses sync/client and sync/protocol.ts',
    allows: `${imports('#sync/client/status.ts')} ${imports('#sync/protocol.ts')}`,
  },
  {
    at: 'client/a.tsx',
    breaks: imports('#db/open.ts'),
    says: 'client/ never sees a table',
    allows: imports('#shared/ids.ts'),
  },
  {
    at: 'client/a.tsx',
    breaks: "import type { App } from '#server/app.ts'; export type A = App;",
    says: 'Only client/api.ts knows of the server',
    allows: imports('./api.ts'),
  },
  ...[
    "import { App } from '#server/app.ts'; export type A = App;",
    "export { App as B } from '#server/app.ts';",
    "export const app = import('#server/app.ts');",
    "import '#server/app.ts';",
  ].map((breaks) => ({
    at: 'client/api.ts',
    breaks,
    says: typesOnly,
    allows: "export type { App } from '#server/app.ts';",
  })),
  {
    // The braces vanish, the import stays.
    at: 'client/api.ts',
    breaks: "import { type App as C } from '#server/app.ts'; export type D = C;",
    says: 'will leave behind a side effect import',
    allows: "import type { App } from '#server/app.ts'; export type A = App;",
  },
  {
    at: 'client/api.ts',
    breaks: "import type { Config } from '#server/config.ts'; export type E = Config;",
    says: 'the type of its routes, #server/app.ts, and nothing else',
    allows: "export type { App } from '#server/app.ts';",
  },
  {
    at: 'client/a.tsx',
    breaks: imports('hono'),
    says: 'Of hono the client uses hono/client',
    allows: imports('hono/client'),
  },
  ...['node:fs', 'postgres', 'pino'].map((path) => ({
    at: 'client/a.tsx',
    breaks: imports(path),
    says: 'This package runs in Node, client/ in a browser',
    allows: imports('jotai'),
  })),
  ...['drizzle-orm', 'postgres', '#db/schema/accounts.ts'].map((path) => ({
    at: 'server/accounts/routes.ts',
    breaks: imports(path),
    says: 'Routes hold path, schema and the call of a verb',
    allows: imports(path),
    twinAt: 'server/accounts/a.ts',
  })),

  // Floors: folders import downwards alone.
  {
    at: 'client/meetings/base/a.ts',
    breaks: imports('../page/frame.tsx'),
    says: 'client/meetings/base is not above client/meetings/page',
    allows: imports('../base/pane.ts'),
    twinAt: 'client/meetings/page/a.ts',
  },
  {
    at: 'client/meetings/live/a.ts',
    breaks: imports('../sound/player.ts'),
    says: 'client/meetings/live is not above client/meetings/sound',
    allows: imports('./room.ts'),
  },
  {
    at: 'client/meetings/annotations/highlights/a.ts',
    breaks: "export const a = import('../comments/comments-pane.tsx');",
    says: 'client/meetings/annotations/highlights is not above client/meetings/annotations/comments',
    allows: "export const a = import('../base/commands.ts');",
  },
  {
    at: 'client/ui/a.tsx',
    breaks: "export type { Pane } from '../meetings/base/pane.ts';",
    says: 'client/ui is not above client/meetings',
    allows: "export type { Pane } from '../meetings/base/pane.ts';",
    twinAt: 'client/dev/a.tsx',
  },
  {
    at: 'server/media/a.ts',
    breaks: imports('../intake/create.ts'),
    says: 'server/media is not above server/intake',
    allows: imports('../media/kinds.ts'),
    twinAt: 'server/intake/a.ts',
  },
  {
    at: 'server/newcomer/a.ts',
    breaks: imports('../http/body.ts'),
    says: 'server/newcomer has no floor',
    allows: imports('../http/body.ts'),
    twinAt: 'server/meetings/a.ts',
  },

  // Every way to say it.
  {
    at: 'shared/a.ts',
    breaks: "export * from '#db/open.ts';",
    says: purity,
    allows: "export { twin } from './twin.ts';",
  },
  {
    at: 'shared/a.ts',
    breaks: "export const db = import('#db/open.ts');",
    says: purity,
    allows: "export const twin = import('./twin.ts');",
  },
  {
    at: 'shared/a.ts',
    breaks: "export type { Orm } from '#db/open.ts';",
    says: purity,
    allows: "export type { Twin } from './twin.ts';",
  },
  {
    at: 'shared/a.ts',
    breaks: "export type Orm = import('#db/open.ts').Orm;",
    says: '`import()` type annotations are forbidden',
    allows: "import type { Twin } from './twin.ts'; export type Orm = Twin;",
  },

  // A room is crossed by its name, and only by that.
  ...['shared/ids', 'db/open', 'sync/protocol', 'client/api', 'scripts/lock'].map((path) => ({
    at: 'server/deep/down/a.ts',
    breaks: imports(`../../../${path}.ts`),
    says: byName,
    allows: imports('../../clock.ts'),
  })),
  ...['shared', 'db', 'server', 'client', 'scripts'].map((room) => ({
    at: `${room}/a.ts`,
    breaks: imports(`../${room === 'shared' ? 'db' : 'shared'}/b.ts`),
    says: byName,
    allows: imports('./b.ts'),
  })),
  ...['sync/client/a.ts', 'sync/server/a.ts'].map((at) => ({
    at,
    breaks: imports('../../shared/b.ts'),
    says: byName,
    allows: imports('#shared/b.ts'),
  })),
  {
    at: 'tests/api/a.test.ts',
    breaks: imports('../../server/b.ts'),
    says: byName,
    allows: `${imports('#server/b.ts')} ${imports('../../scripts/run.mjs')}`,
  },
  ...['shared', 'db', 'server', 'client'].map((room) => ({
    at: `${room}/a.ts`,
    breaks: imports(`#${room}/b.ts`),
    says: inside,
    allows: imports('./b.ts'),
  })),
  ...['sync/client/a.ts', 'sync/server/a.ts', 'sync/protocol.ts'].map((at) => ({
    at,
    breaks: imports('#sync/b.ts'),
    says: inside,
    allows: imports('#shared/b.ts'),
  })),

  // Nothing but tests and scripts knows of tests and scripts.
  ...['shared/a.ts', 'db/a.ts', 'sync/client/a.ts', 'sync/server/a.ts', 'server/a.ts', 'client/a.tsx'].map((at) => ({
    at,
    breaks: imports('#tests/support/house.ts'),
    says: noTests,
    allows: imports('#tests/support/house.ts'),
    twinAt: at.replace('a.ts', 'a.test.ts'),
  })),
  {
    at: 'client/api.ts',
    breaks: imports('#tests/support/house.ts'),
    says: noTests,
    allows: imports('#tests/support/house.ts'),
    twinAt: 'scripts/a.ts',
  },

  // The world outside comes in by one door each.
  ...['process.env.PORT', "process['env']", 'globalThis.process'].map((code) => ({
    at: 'server/a.ts',
    breaks: `export const a: unknown = ${code};`,
    says: oneReader,
    allows: 'export const a: unknown = process.env;',
    twinAt: 'server/config.ts',
  })),
  {
    at: 'server/a.ts',
    breaks: "import { env } from 'node:process'; export const a: unknown = env;",
    says: oneReader,
    allows: 'export const a: unknown = process.env;',
    twinAt: 'scripts/a.ts',
  },
  {
    at: 'db/a.ts',
    breaks: 'export const { env } = process;',
    says: oneReader,
    allows: 'export const { env } = process;',
    twinAt: 'tests/support/a.ts',
  },
  ...['fetch', 'window.fetch', 'globalThis.fetch'].map((code) => ({
    at: 'client/a.tsx',
    breaks: `export const a = () => ${code}('/');`,
    says: 'Only client/api.ts speaks to the server',
    allows: "export const a = () => fetch('/');",
    twinAt: 'client/api.ts',
  })),
  {
    at: 'server/a.ts',
    breaks: "export const a = () => fetch('http://localhost/');",
    says: 'Whoever we phone lives in server/outside/',
    allows: "export const a = () => fetch('http://localhost/');",
    twinAt: 'server/outside/a.ts',
  },
  ...['window', 'document', 'localStorage', 'location', 'navigator', 'fetch', 'process', 'globalThis.document'].map(
    (code) => ({
      at: 'shared/a.ts',
      breaks: `export const a: unknown = ${code};`,
      says: 'touch nothing outside: take what you need as an argument',
      allows: 'export const a = (url: string) => new URL(url).searchParams.getAll(url);',
    }),
  ),
  ...['db/a.ts', 'server/a.ts', 'sync/server/a.ts', 'server/outside/a.ts'].map((at) => ({
    at,
    breaks: 'export const a = document.title;',
    says: 'Only client/ and sync/client run in a browser',
    allows: 'export const a = document.title;',
    twinAt: 'client/a.ts',
  })),
  ...['name', 'event', 'status', 'origin'].map((word) => ({
    at: 'server/a.ts',
    breaks: `export const a: unknown = ${word};`,
    says: `Unexpected use of '${word}'`,
    allows: `export const a = (${word}: string) => ${word};`,
  })),
  {
    at: 'client/a.tsx',
    breaks: "export const a = () => window.confirm('Sure?');",
    says: "The browser's own dialog cannot be styled",
    allows: "export const a = () => window.matchMedia('print').matches;",
  },
  {
    at: 'server/a.ts',
    breaks: "console.log('here');",
    says: 'eslint(no-console)',
    allows: "console.log('here');",
    twinAt: 'scripts/a.mjs',
  },

  // Rules for all rooms.
  {
    at: 'server/a.ts',
    breaks: 'export const a = (b: any): unknown => b;',
    says: 'Unexpected `any`',
    allows: 'export const a = (b: unknown): unknown => b;',
  },
  {
    at: 'server/a.ts',
    breaks: "export const a: string[] = JSON.parse('[]');",
    says: 'no-unsafe-assignment',
    allows: "export const a: unknown = JSON.parse('[]');",
  },
  ...['ts-ignore', 'ts-expect-error', 'ts-nocheck'].map((word) => ({
    at: 'tests/api/a.test.ts',
    breaks: `// @${word} because it is so\nexport const a = 1;`,
    says: 'typescript(ban-ts-comment)',
    allows: 'export const a = 1;',
  })),
  {
    at: 'server/a.ts',
    breaks: 'export const a = (b: string | null) => b!.length;',
    says: 'Forbidden non-null assertion',
    allows: 'export const a = (b: string | null) => b!.length;',
    twinAt: 'tests/api/a.test.ts',
  },
  {
    at: 'server/a.ts',
    breaks: 'export function a(work: () => Promise<void>) { work(); }',
    says: 'Promises must be awaited',
    allows: 'export async function a(work: () => Promise<void>) { await work(); }',
  },
  {
    at: 'server/a.ts',
    breaks: 'export const a = (work: () => Promise<boolean>) => (work() ? 1 : 2);',
    says: 'no-misused-promises',
    allows: 'export const a = async (work: () => Promise<boolean>) => ((await work()) ? 1 : 2);',
  },
  {
    at: 'server/a.ts',
    breaks: 'export const a = async (b: number) => await b;',
    says: 'typescript(await-thenable)',
    allows: 'export const a = async (b: Promise<number>) => await b;',
  },
  {
    at: 'shared/a.ts',
    breaks: "export function a(b: 'x' | 'y') { switch (b) { case 'x': return 1; } return 2; }",
    says: 'switch-exhaustiveness-check',
    allows: "export function a(b: 'x' | 'y') { switch (b) { case 'x': return 1; case 'y': return 2; } }",
  },
  { at: 'shared/a.ts', breaks: imports('./b'), says: 'import(extensions)', allows: imports('./b.ts') },
  {
    at: 'shared/a.ts',
    breaks: "export * from './one.ts';",
    says: 'oxc(no-barrel-file)',
    allows: "import { one } from './one.ts'; export const a = () => void one;",
  },
  {
    at: 'client/a.tsx',
    breaks: 'export const A = ({ html }: { html: string }) => <p dangerouslySetInnerHTML={{ __html: html }} />;',
    says: 'react(no-danger)',
    allows: 'export const A = ({ html }: { html: string }) => <p>{html}</p>;',
  },
  {
    at: 'client/a.tsx',
    breaks:
      "import { useId } from 'react'; export function A({ b }: { b: boolean }) { if (b) return <p id={useId()} />; return null; }",
    says: 'react-hooks(rules-of-hooks)',
    allows:
      "import { useId } from 'react'; export function A({ b }: { b: boolean }) { const id = useId(); return b ? <p id={id} /> : null; }",
  },
  {
    at: 'client/a.tsx',
    breaks: 'export const A = ({ go }: { go: () => void }) => <div onClick={go} />;',
    says: 'jsx-a11y(no-static-element-interactions)',
    allows:
      'export const A = ({ go, to }: { go: () => void; to: string }) => <button type="button" onClick={go}>{to}</button>;',
  },
  {
    at: 'client/a.tsx',
    breaks: 'export const A = () => <p>Sign in</p>;',
    says: 'react(jsx-no-literals)',
    allows: 'export const A = ({ word }: { word: string }) => <p>{word} · {word}</p>;',
  },
  {
    at: 'client/a.tsx',
    breaks: 'export const A = () => <img src="/a.png" />;',
    says: 'jsx-a11y(alt-text)',
    allows: 'export const A = () => <img src="/a.png" alt="" />;',
  },
  ...['only', 'skip'].map((word) => ({
    at: 'tests/api/a.test.ts',
    breaks: `import { expect, test } from 'vitest'; test.${word}('a', () => expect(1).toBe(1));`,
    says: word === 'only' ? 'vitest(no-focused-tests)' : 'vitest(no-disabled-tests)',
    allows: "import { expect, test } from 'vitest'; test('a', () => expect(1).toBe(1));",
  })),
];

/** `a` gets a name of its own in each row, so that no two share a file; a file that is named in a wall keeps its name. */
const place = (path: string, row: number) => path.replace(/\ba(?=\.[\w.]+$)/, `row${row}`);

class ModelHouse {
  readonly folder = mkdtempSync(join(tmpdir(), 'colloquy-walls-'));
  readonly #files = new Map<string, string[]>();
  #report: Report | undefined;

  /** Adds the code to the file, once, and returns its lines. */
  put(path: string, code: string): { path: string; from: number; to: number } {
    const lines = this.#files.get(path) ?? [];
    this.#files.set(path, lines);
    const added = code.split('\n');
    if (!lines.includes(added[0]!)) lines.push(...added);
    const from = lines.indexOf(added[0]!) + 1;
    return { path, from, to: from + added.length - 1 };
  }

  async lint(): Promise<void> {
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
    writeFileSync(join(this.folder, '.gitignore'), 'node_modules\nscripts/lint\n');
    cpSync(join(root, 'scripts/lint'), join(this.folder, 'scripts/lint'), { recursive: true });
    for (const file of ['.oxlintrc.json', 'tsconfig.json', 'package.json']) {
      copyFileSync(join(root, file), join(this.folder, file));
    }
    for (const [path, lines] of this.#files) {
      mkdirSync(dirname(join(this.folder, path)), { recursive: true });
      writeFileSync(join(this.folder, path), `${lines.join('\n')}\n`);
    }
    this.#report = await lint(this.folder, withTypes);
  }

  findings(where: { path: string; from?: number; to?: number }): string[] {
    const { path, from = 1, to = Number.POSITIVE_INFINITY } = where;
    return (this.#report?.diagnostics ?? [])
      .filter(({ filename }) => filename === path)
      .filter(({ labels }) => labels.some(({ span }) => span.line >= from && span.line <= to))
      .map(text);
  }

  get files(): number {
    return this.#report?.number_of_files ?? 0;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

describe('The house', () => {
  test('breaks none of its own rules that need no types', async () => {
    const report = await lint(root);
    expect(report.diagnostics.map((finding) => `${finding.filename} ${text(finding)}`)).toEqual([]);
    expect(report.number_of_files).toBeGreaterThan(50);
    expect(report.number_of_rules).toBeGreaterThan(150);
  });
});

describe('A wall, broken, is named', () => {
  const broken = new ModelHouse();
  const legal = new ModelHouse();
  const rows = walls.map((wall, row) => ({
    says: wall.says,
    title: `${wall.at}: ${wall.breaks.replace('\n', ' ')}`,
    bad: broken.put(place(wall.at, row), wall.breaks),
    good: legal.put(place(wall.twinAt ?? wall.at, row), wall.allows),
  }));

  // Circles: directly, and through a room's name, which only a resolver that reads package.json sees. A chain is none.
  const circle = (by: string, folder: string) => [
    broken.put(`${folder}/circle-1.ts`, `import { b } from '${by}circle-2.ts'; export const a = () => b;`),
    broken.put(`${folder}/circle-2.ts`, "import { a } from './circle-1.ts'; export const b = () => a;"),
  ];
  const circles = [...circle('./', 'db'), ...circle('#tests/support/', 'tests/support')];
  const chain = [
    legal.put('db/chain-1.ts', "import { b } from './chain-2.ts'; export const a = () => b;"),
    legal.put('db/chain-2.ts', 'export const b = 1;'),
  ];

  beforeAll(() => Promise.all([broken.lint(), legal.lint()]));
  afterAll(() => {
    broken.remove();
    legal.remove();
  });

  test.each(rows.map((row) => [row.title, row] as const))('%s', (_, { bad, good, says }) => {
    expect(broken.findings(bad).join('\n')).toContain(says);
    expect(legal.findings(good)).toEqual([]);
  });

  test('a circle of imports', () => {
    for (const file of circles) expect(broken.findings(file).join('\n')).toContain('Dependency cycle detected');
    for (const file of chain) expect(legal.findings(file)).toEqual([]);
  });

  test('every file of both houses was looked at', () => {
    const files = (rowsOf: { path: string }[]) => new Set(rowsOf.map(({ path }) => path)).size;
    expect(broken.files).toBe(files([...rows.map(({ bad }) => bad), ...circles]));
    expect(legal.files).toBe(files([...rows.map(({ good }) => good), ...chain]));
  });

  test('every message of the configuration was reported', () => {
    const config = read('.oxlintrc.json');
    const messages = [...config.matchAll(/"message": ("(?:[^"\\]|\\.)*")/g)].map(
      ([, json = '']) => JSON.parse(json) as string,
    );
    expect(new Set(messages).size).toBeGreaterThan(20);
    const heard = rows.flatMap(({ bad }) => broken.findings(bad)).join('\n');
    expect(messages.filter((message) => !heard.includes(message))).toEqual([]);
  });
});
