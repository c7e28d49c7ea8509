// @ts-check
// node bound.mjs <command> <argument ...>: runs a command that must not outlive its starter. The starter holds the
// other end of our standard input; when that closes, whatever way it died, the command and its children are ended.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const [command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
let ending = false;

/** We lead a process group of our own (see run.mjs), so one signal reaches whatever the command started. */
function signalAll(/** @type {NodeJS.Signals} */ signal) {
  if (process.platform === 'win32') child.kill(signal);
  else process.kill(-process.pid, signal);
}

process.on('SIGTERM', () => {});
process.stdin.on('close', () => {
  ending = true;
  signalAll('SIGTERM');
  setTimeout(() => signalAll('SIGKILL'), 2000);
});
process.stdin.resume();

child.on('error', (error) => {
  console.error(error.message);
  process.exit(127);
});
child.on('exit', (code, signal) => {
  if (ending) signalAll('SIGKILL');
  process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
});
