// Files that an operator copies (docs/operations.md, Deploy): their syntax, and every name and key in them.
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { configKeys, readConfig } from '#server/config.ts';
import { files, read, root } from './files.ts';

type Tree = string | Tree[] | { [key: string]: Tree };

const indentOf = (line: string): number => line.length - line.trimStart().length;
function plain(text: string): string {
  const quoted = /^'([^']*)'$/.exec(text.trim())?.[1];
  // A value without quotes would end there, or be a map.
  if (quoted === undefined && / #|: /.test(text)) throw new Error(`not read: ${text}`);
  return quoted ?? text.trim();
}

/** Reads the YAML of compose.yaml: maps and lists by indentation, plain and quoted values. Anything else throws. */
function readYaml(text: string): Tree {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const block = (indent: number): Tree => {
    const list: Tree[] = [];
    const map: { [key: string]: Tree } = {};
    for (let line = lines[0]; line !== undefined && indentOf(line) === indent; line = lines[0]) {
      lines.shift();
      const item = /^\s*- (.*)$/.exec(line)?.[1];
      const [, key, value] = /^\s*([\w-]+):(?: (.*))?$/.exec(item ?? line) ?? [];
      if (item !== undefined && (key === undefined || /['"({]/.test(item))) list.push(plain(item));
      else if (key === undefined || value?.startsWith('[') || value?.startsWith('{'))
        throw new Error(`not read: ${line}`);
      else if (item !== undefined) {
        lines.unshift(`${' '.repeat(indent + 2)}${item}`);
        list.push(block(indent + 2));
      } else if (value !== undefined) map[key] = plain(value);
      else map[key] = lines[0] !== undefined && indentOf(lines[0]) > indent ? block(indentOf(lines[0])) : '';
    }
    if (list.length > 0 && Object.keys(map).length > 0) throw new Error('a list and a map at one place');
    return list.length > 0 ? list : map;
  };
  const tree = block(0);
  if (lines.length > 0) throw new Error(`not read: ${lines[0]}`);
  return tree;
}

interface Service {
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: Record<string, unknown>;
  ports?: string[];
}
const compose = () =>
  readYaml(read('compose.yaml')) as unknown as {
    services: Record<string, Service>;
    volumes: Record<string, unknown>;
    networks: { default: { ipam: { config: { subnet: string; gateway: string }[] } } };
  };
/** Keys and values of a file of settings, as Compose and systemd read it. */
const settings = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => !/^\s*(#|$)/.test(line))
      .map((line) => /^([A-Z0-9_]+)=(.*)$/.exec(line)?.slice(1) ?? [line, 'not read']),
  );
const example = () => settings(read('docs/deploy/colloquy.env'));
/** Compose's own: the password of the database that it runs. */
const databasePassword = 'POSTGRES_PASSWORD';

describe('compose.yaml', () => {
  test('is YAML, formatted as all else is', () => {
    const oxfmt = join(root, 'node_modules/oxfmt/bin/oxfmt');
    const print = (input: string) =>
      execFileSync(process.execPath, [oxfmt, '--stdin-filepath', 'checked.yml'], { input, cwd: tmpdir() }).toString();
    expect(print(read('compose.yaml')).replaceAll('"', "'")).toBe(read('compose.yaml'));
    expect(() => print('a:\n  - b: [1\n c: d\n')).toThrow();
  });

  test('is read whole, and what it cannot be is refused', () => {
    expect(readYaml('a:\n  - b: 1\n    c: x\n  - b: 2\n')).toEqual({ a: [{ b: '1', c: 'x' }, { b: '2' }] });
    for (const odd of ['a: [1]', "a:\n  - b('c' : 1)", 'a:\n- 1\nb: 2\n  c: 3', 'a\n'])
      expect(() => readYaml(odd)).toThrow();
  });

  test('names its own services, volumes and networks, and its settings', () => {
    const { services, volumes, networks } = compose();
    expect(Object.keys(services)).toEqual(['colloquy', 'postgres', 'redis']);
    const mounted = Object.values(services).flatMap(({ volumes: own = [] }) => own.map((one) => one.split(':')[0]));
    expect(mounted.toSorted()).toEqual(Object.keys(volumes).toSorted());
    const needed = Object.values(services).flatMap(({ depends_on = {} }) => Object.keys(depends_on));
    expect(needed.filter((name) => !(name in services))).toEqual([]);
    const asked = [...read('compose.yaml').matchAll(/\$\{([A-Z_]+)/g)].map(([, key]) => key);
    expect([...new Set(asked)].filter((key) => key === undefined || !(key in example()))).toEqual([]);
    const [network] = networks.default.ipam.config;
    expect(services['colloquy']?.environment?.['TRUSTED_PROXIES']).toBe(network?.gateway);
    expect(network?.gateway.startsWith(network.subnet.replace(/0\/24$/, ''))).toBe(true);
    // Nothing but the proxy of this machine reaches the container.
    expect(Object.values(services).flatMap(({ ports = [] }) => ports)).toEqual(['127.0.0.1:3000:3000']);
  });

  test('sets keys that exist, to values with which the server starts', () => {
    const { environment = {} } = compose().services['colloquy'] ?? {};
    expect(Object.keys(environment).filter((key) => !configKeys.includes(key))).toEqual([]);
    const given: Record<string, string> = { ...example(), [databasePassword]: 'abc123' };
    const filled = Object.fromEntries(
      Object.entries(environment).map(([key, value]) => [
        key,
        value.replaceAll(/\$\{(\w+):?[?-]?[^}]*\}/g, (_, name: string) => given[name] ?? ''),
      ]),
    );
    expect(readConfig(filled, '/app')).toMatchObject({
      publicOrigin: 'https://colloquy.example',
      databaseUrl: 'postgres://colloquy:abc123@postgres:5432/colloquy',
      supportEmail: 'support@colloquy.example',
    });
  });
});

describe('The image', () => {
  const lines = read('Dockerfile').split('\n');
  const ignored = read('.dockerignore').split('\n').filter(Boolean);

  test('has what it copies and runs', () => {
    const copied = lines.flatMap((line) => /^COPY (?:--\S+ )*(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
    expect(copied).toContain('package-lock.json');
    const known = new Set([...files(), '.']);
    expect(copied.filter((path) => !known.has(path) || ignored.includes(path))).toEqual([]);
    const command = JSON.parse(/^CMD (.+)$/m.exec(read('Dockerfile'))?.[1] ?? '[]') as string[];
    expect(command[0]).toBe('node');
    expect(files()).toContain(command[1]);
    expect(files()).toContain(/\/app\/([\w/.]+\.mjs)/.exec(read('Dockerfile'))?.[1]);
    const [major = 0] = /^FROM node:(\d+)/.exec(read('Dockerfile'))?.slice(1).map(Number) ?? [];
    expect(major).toBeGreaterThanOrEqual(20);
  });

  test('holds no settings, no data and no history', () => {
    expect(ignored).toEqual(expect.arrayContaining(['.env', '.data', '.git', 'node_modules']));
  });
});

describe('The unit for systemd', () => {
  const unit = () => read('docs/deploy/colloquy.service');

  test('runs what exists, and sets keys that exist, to values with which the server starts', () => {
    const script = /^ExecStart=\/usr\/bin\/node (\S+)$/m.exec(unit())?.[1];
    expect(files()).toContain(script);
    const own = settings([...unit().matchAll(/^Environment=(.+)$/gm)].map(([, line]) => line).join('\n'));
    const all = { ...own, ...example() };
    expect(Object.keys(all).filter((key) => key !== databasePassword && !configKeys.includes(key))).toEqual([]);
    expect(readConfig(all, '/srv/colloquy')).toMatchObject({
      dataDir: '/var/lib/colloquy',
      publicOrigin: 'https://colloquy.example',
      databaseUrl: null,
    });
    // systemd makes that folder, and gives it to the user of the unit.
    expect(unit()).toContain('\nStateDirectory=colloquy\n');
  });

  test('is accepted by systemd', async ({ skip }) => {
    const run = promisify(execFile);
    await run('systemd-analyze', ['--version']).catch(() => skip('systemd-analyze is not installed'));
    const folder = mkdtempSync(join(tmpdir(), 'colloquy-unit-'));
    const verify = async (text: string) => {
      const file = join(folder, 'colloquy.service');
      writeFileSync(file, text.replace('/usr/bin/node', process.execPath));
      const { stderr } = await run('systemd-analyze', ['verify', file]).catch((error: { stderr: string }) => error);
      return stderr.split('\n').filter((line) => line.includes('colloquy.service'));
    };
    try {
      expect(await verify(unit())).toEqual([]);
      expect(await verify(unit().replace('KillMode=', 'KilMode='))).not.toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
