import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { gone } from '#tests/support/processes.ts';
import { CommandFailed, run } from './run.mjs';

const node = process.execPath;
/** Prints its own process id and a child's, then stays; both ignore SIGTERM as npm does in the middle of an install. */
const stubborn = `
  process.on('SIGTERM', () => {});
  const child = require('node:child_process').spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)']);
  console.log(process.pid + ' ' + child.pid);
  setInterval(() => {}, 1000);`;

test('the output is handed on, and a failure carries it', async () => {
  expect(await run(node, ['-p', '6 * 7'])).toEqual({ code: 0, output: '42\n' });
  const failed = run(node, ['-e', 'console.error("no luck"); process.exit(3)']);
  await expect(failed).rejects.toThrow(CommandFailed);
  await expect(failed).rejects.toMatchObject({ exitCode: 3, output: 'no luck\n' });
  expect(await run(node, ['-e', 'process.exit(3)'], { anyCode: true })).toMatchObject({ code: 3 });
});

test('a command that does not exist fails', async () => {
  await expect(run('no-such-command', [])).rejects.toMatchObject({ exitCode: 127 });
});

test('an interrupt ends the command and what it started', async () => {
  const interrupt = new AbortController();
  let pids: number[] = [];
  const running = run(node, ['-e', stubborn], {
    signal: interrupt.signal,
    print: (text) => {
      pids = text.trim().split(' ').map(Number);
      interrupt.abort(new Error('interrupted'));
    },
  });
  await expect(running).rejects.toThrow('interrupted');
  expect(pids).toHaveLength(2);
  await Promise.all(pids.map(gone));
});

test('a starter killed with -9 takes the command and what it started along', async () => {
  const starter = `
    const { run } = await import(${JSON.stringify(new URL('./run.mjs', import.meta.url).href)});
    await run(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { print: (text) => process.stdout.write(text) });`;
  const child = spawn(node, ['--input-type=module', '-e', starter], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  const pids = text.toString().trim().split(' ').map(Number);
  expect(pids).toHaveLength(2);
  await Promise.all(pids.map(gone));
});
