import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

// Files that tests keep in memory go with the run that made them, as nothing else would give the memory back.

let within: string;
beforeEach(() => {
  within = mkdtempSync(join(tmpdir(), 'colloquy-memory-'));
});
afterEach(() => rmSync(within, { recursive: true, force: true }));

/** Has another process make a folder and do some work, to which `folder` is its path; returns what it printed. */
const elsewhere = (work: string): string =>
  execFileSync(
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `import fs from 'node:fs';
       import { folderOfProcess } from ${JSON.stringify(import.meta.resolve('./memory-folder.mjs'))};
       const folder = folderOfProcess(${JSON.stringify(within)});
       fs.writeFileSync(folder + '/file', '');
       ${work}`,
    ],
    { encoding: 'utf8' },
  );

test('a folder can be entered by other users, and goes when its process ends', () => {
  const [folder = '', mode] = elsewhere(`console.log(folder, fs.statSync(folder).mode & 0o777)`).trim().split(' ');
  expect([folder.startsWith(join(within, 'colloquy-tests-of-')), Number(mode)]).toEqual([true, 0o755]);
  expect(existsSync(folder)).toBe(false);
});

test('one of a process that was killed goes with the next, but not one of a process that runs', () => {
  expect(() => elsewhere(`process.kill(process.pid, 'SIGKILL')`)).toThrow();
  const living = join(within, `colloquy-tests-of-${process.pid}-abc`);
  const other = join(within, 'colloquy-house');
  for (const folder of [living, other]) mkdirSync(folder);
  writeFileSync(join(within, 'colloquy-tests-of-nobody'), '');
  const seen = elsewhere(`console.log(fs.readdirSync(${JSON.stringify(within)}).length)`);
  expect(Number(seen)).toBe(4);
  for (const folder of [living, other]) expect(statSync(folder).isDirectory()).toBe(true);
});
