// @ts-check
import './node-version.mjs';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible } from './run.mjs';

await interruptible((signal) => prepare({ built: true, signal })).catch(giveUp);

// The server runs in this process, so that signals and exit codes are its own.
process.env['NODE_ENV'] ??= 'production';
stopWithNpm();
await import(pathToFileURL(join(root, 'dist/server/main.js')).href);

/** npm passes signals on, but some shells in between do not: when the parent ends, this process stops. */
function stopWithNpm() {
  if (process.env['npm_lifecycle_event'] !== 'start' || process.platform === 'win32') return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}
