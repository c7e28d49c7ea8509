import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../house/files.ts';

/** Runs one of the project's commands on a data folder, as npm would; its exit code, and what it said. */
export async function runCommand(dataDir: string, name: string, ...words: string[]): Promise<[number | null, string]> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DATA_DIR: dataDir };
  const child = spawn(process.execPath, [join(root, `scripts/${name}.mjs`), ...words], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, said.trim()];
}
