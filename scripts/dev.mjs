// @ts-check
// One address for the work on Colloquy: Vite serves the client with its hot reload and hands the API on to the server,
// which is bundled and started again whenever its sources change: Node loads one bundle in a third of the time that it
// takes for hundreds of sources. The database is started once and outlives those restarts.
import './node-version.mjs';
import { once } from 'node:events';
import { createServer as createSocket } from 'node:net';
import { relative, resolve, sep } from 'node:path';
import { giveUp, prepare, root } from './prepare.mjs';
import { interruptible, run } from './run.mjs';

const port = Number(process.env['PORT'] || 3000);
const outDir = '.cache/dev';
const served = new Set(['server', 'db', 'shared', 'sync']);

await interruptible(async (signal) => {
  await prepare({ built: false, signal });
  const apiPort = await freePort();
  const database = process.env['DATABASE_URL'] ? undefined : await startDatabase();
  try {
    await develop(signal, apiPort, database?.url);
  } finally {
    await database?.stop();
  }
}).catch(giveUp);

async function develop(
  /** @type {AbortSignal} */ signal,
  /** @type {number} */ apiPort,
  /** @type {string | undefined} */ database,
) {
  const { build, createServer } = await import('vite');
  // Read by vite.config.ts, which knows what belongs to the server.
  process.env['DEV_API_PORT'] = String(apiPort);
  const vite = await createServer({
    root,
    server: { port, strictPort: true, watch: { ignored: ['**/.data/**', '**/.cache/**', '**/dist/**'] } },
  });
  const bundle = async () => {
    await build({ root, mode: 'development', logLevel: 'error', build: { ssr: true, outDir, emptyOutDir: false } });
  };
  const server = keepRunning(signal, bundle, {
    ...process.env,
    PORT: String(apiPort),
    HOST: '127.0.0.1',
    PUBLIC_URL: process.env['PUBLIC_URL'] || `http://localhost:${port}`,
    DEV: 'on',
    ...(database ? { DATABASE_URL: database, DEMO: process.env['DEMO'] || 'on' } : {}),
  });
  vite.watcher.on('all', (_event, file) => {
    const [room = ''] = relative(root, file).split(sep);
    if (served.has(room) && !/\.test\.tsx?$/.test(file)) server.restart();
  });
  try {
    await vite.listen();
    await server.ended;
  } finally {
    await vite.close();
  }
}

/** Runs the server until interrupted: again at once after a change, and after a crash when something has changed. */
function keepRunning(
  /** @type {AbortSignal} */ signal,
  /** @type {() => Promise<void>} */ bundle,
  /** @type {NodeJS.ProcessEnv} */ env,
) {
  let changed = new AbortController();
  let bundled = bundle();
  /** @type {NodeJS.Timeout | undefined} */
  let soon;
  let times = 0;
  const restart = () => {
    // An editor or a checkout writes several files at once.
    clearTimeout(soon);
    soon = setTimeout(() => {
      // While the old server stops. One bundle at a time: all are written to the same folder.
      bundled = bundled.catch(() => {}).then(bundle);
      bundled.catch(() => {});
      changed.abort();
    }, 50);
  };
  const print = (/** @type {string} */ text) => {
    // The server's own address is nobody's business: the one to open is Vite's.
    const shown = text.replace(/^Colloquy is ready at .*\n/m, () =>
      times++ === 0 ? `Colloquy is ready at http://localhost:${port}\n` : 'Server reloaded.\n',
    );
    process.stdout.write(shown);
  };
  const args = ['--enable-source-maps', `${outDir}/main.js`];
  const live = async () => {
    while (!signal.aborted) {
      changed = new AbortController();
      const either = AbortSignal.any([signal, changed.signal]);
      try {
        await bundled;
      } catch (error) {
        console.error(error instanceof Error ? error.message : error);
        console.log('The server cannot be built; it starts again when a file changes.');
        if (!either.aborted) await once(either, 'abort');
        continue;
      }
      try {
        const { code } = await run(process.execPath, args, { cwd: root, env, signal: either, anyCode: true, print });
        console.log(`The server ended with code ${code}; it starts again when a file changes.`);
        if (!either.aborted) await once(either, 'abort');
      } catch (error) {
        if (!either.aborted) throw error;
      }
    }
  };
  return { restart, ended: live() };
}

async function startDatabase() {
  const { tsImport } = await import('tsx/esm/api');
  /** @type {typeof import('../db/embedded.ts')} */
  const { startEmbedded } = await tsImport('../db/embedded.ts', import.meta.url);
  return startEmbedded({
    dataDir: resolve(root, process.env['DATA_DIR'] || '.data'),
    say: (line) => console.log(line),
  });
}

/** @returns {Promise<number>} */
async function freePort() {
  const socket = createSocket().listen(0, '127.0.0.1');
  await once(socket, 'listening');
  const address = socket.address();
  socket.close();
  await once(socket, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
