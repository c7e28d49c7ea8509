import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every file that belongs to the project, by its path from the root: tracked by git, or new and not ignored. */
export function files(): string[] {
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  const paths = list.toString().split('\0').filter(Boolean);
  return paths.filter((path) => existsSync(join(root, path))).toSorted();
}

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Modules that a source imports, in any form of import; for a style sheet, what it imports. */
export function importsOf(source: string): string[] {
  const ways = /(?:\bfrom\s*|\bimport\s*\(?\s*|@import\s+)(['"])([\w@#.][^'"\s]*)\1/g;
  return [...source.matchAll(ways)].map(([, , name = '']) => name);
}

/** `@scope/name/deep/file.js` comes from `@scope/name`. */
export const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
