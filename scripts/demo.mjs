// @ts-check
// Fills an empty data folder with the demo people: the server does it at a start, so it is started and stopped again.
import './node-version.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible } from './run.mjs';

const code = await interruptible(async (signal) => {
  await prepare({ built: true, signal });
  const env = { ...process.env, NODE_ENV: 'production', DEMO: 'on', PORT: '0', HOST: '127.0.0.1' };
  const server = spawn(process.execPath, [join(root, 'dist/server/main.js')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  signal.addEventListener('abort', () => server.kill());
  server.stdout.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
    const ready = /^Colloquy is ready at .*\n/m;
    process.stdout.write(
      text.replace(ready, 'The demo people are there: `npm start`, then choose one on the sign-in page.\n'),
    );
    if (ready.test(text)) server.kill();
  });
  const [ended] = await once(server, 'exit');
  return ended ?? 1;
}).catch(giveUp);
process.exit(code);
