// Are the documents true? Every path, link, command and configuration key they name is there, and no key is missing.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configKeys } from '#server/config.ts';
import { wrongKeys, wrongNames, type Facts } from './docs.ts';
import { root } from './prepare.mjs';

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] }).toString();
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard')
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(root, path)));
const manifest = JSON.parse(read('package.json')) as Record<
  'scripts' | 'dependencies' | 'devDependencies',
  Record<string, string>
>;

const facts: Facts = {
  files,
  isIgnored(path) {
    try {
      git('check-ignore', '--quiet', path);
      return true;
    } catch {
      return false;
    }
  },
  commands: Object.keys(manifest.scripts),
  packages: Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }),
  configKeys,
};

const documents = files.filter((path) => path.endsWith('.md'));
const problems = documents.flatMap((path) => wrongNames(path, read(path), facts));
if (documents.includes('README.md')) problems.push(...wrongKeys('README.md', read('README.md'), facts));
else problems.push('README.md is missing');

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
