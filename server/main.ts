import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FolderInUse, NoBinaries } from '#db/embedded.ts';
import { ConfigError, readConfig } from './config.ts';
import { CannotStart, start, type Running } from './start.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

/** The folder of package.json: this file runs from server/ and, built, from dist/server/. */
function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

function fail(error: unknown): never {
  const known = [ConfigError, CannotStart, FolderInUse, NoBinaries].some((kind) => error instanceof kind);
  process.stderr.write(known ? `Colloquy cannot start: ${(error as Error).message}\n` : `Colloquy cannot start: ${String(error instanceof Error ? error.stack : error)}\n`);
  process.exit(1);
}

let running: Running | null = null;
let stopping = false;

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  await running?.stop();
  process.exit(0);
}
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop());

try {
  running = await start(readConfig(process.env, projectRoot()), say);
} catch (error) {
  fail(error);
}
if (!stopping) say(`Colloquy is ready at http://localhost:${running.port}`);
