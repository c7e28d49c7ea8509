// Checks that the documents are true: every path, link and command they name exists, docs/configuration.md is what
// server/config.ts says, decisions have their parts and an entry in the index, and README.md stays short.
// With `--write` it writes docs/configuration.md.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { configurationPage } from './configuration.ts';
import { anchorsIn, tooLong, wrongDecisions, wrongNames, type Facts } from './docs.ts';
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
  anchorsOf: (path) => anchorsIn(read(path)),
};

const configuration = 'docs/configuration.md';
if (process.argv.includes('--write')) writeFileSync(join(root, configuration), configurationPage());

const documents = files.filter((path) => path.endsWith('.md'));
const problems = documents.flatMap((path) => wrongNames(path, read(path), facts));
if (documents.includes('README.md')) problems.push(...tooLong(read('README.md')));
else problems.push('README.md is missing');
const decisions = documents.filter((path) => /^docs\/decisions\/\d/.test(path));
problems.push(
  ...wrongDecisions(
    Object.fromEntries(decisions.map((path) => [basename(path), read(path)])),
    read('docs/decisions/README.md'),
  ),
);
if (!existsSync(join(root, configuration)) || read(configuration) !== configurationPage())
  problems.push(
    `${configuration} is not what server/config.ts says: run node --import tsx scripts/check-docs.ts --write`,
  );

for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
