import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FolderInUse, NoBinaries, OtherVersion } from '#db/embedded.ts';
import { ConfigError, readOwnConfig } from './config.ts';
import { createLog } from './log.ts';
import { CannotStart, start } from './start.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Folder of package.json: this file runs from server/ and, once built, from dist/server/. */
function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

function fail(error: unknown): never {
  const known = [ConfigError, CannotStart, FolderInUse, NoBinaries, OtherVersion].some((kind) => error instanceof kind);
  process.stderr.write(
    known
      ? `Colloquy cannot start: ${(error as Error).message}\n`
      : `Colloquy cannot start: ${String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(1);
}

/** Milliseconds after which a stop is forced, even if a step hangs. */
const mostForStopping = 25_000;
const halt = new AbortController();

async function stop(code: number): Promise<void> {
  if (halt.signal.aborted) return;
  halt.abort();
  setTimeout(() => process.exit(code || 1), mostForStopping).unref();
  const house = await starting.catch(() => null);
  try {
    await house?.stop();
  } catch (error) {
    house?.house.log.error({ err: error }, 'the stop was not clean');
    process.exit(1);
  }
  process.exit(code);
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
// State is unreliable after an unexpected failure, so the process stops and its supervisor restarts it. Unhandled
// rejections arrive here, too.
process.on('uncaughtException', (error) => {
  fatal.fatal({ err: error }, 'a failure that nobody handled: stopping');
  void stop(1);
});
// A closed output stream is no reason to exit.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const fatal = createLog('fatal');
const starting = start(read(), say, {}, halt.signal);
try {
  const { port } = await starting;
  if (!halt.signal.aborted) say(`Colloquy is ready at http://localhost:${port}`);
} catch (error) {
  // After a stop signal, stop() ends the process.
  if (!halt.signal.aborted) fail(error);
}

function read() {
  try {
    return readOwnConfig(projectRoot());
  } catch (error) {
    fail(error);
  }
}
