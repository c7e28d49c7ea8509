import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../house/files.ts';

/** Runs one of the project's commands on a data folder, as npm would; its exit code, and what it said. */
export const runCommand = (dataDir: string, name: string, ...words: string[]): Promise<[number | null, string]> =>
  runWith({ DATA_DIR: dataDir }, name, ...words);

/** The same with other configuration. */
export async function runWith(
  keys: Readonly<Record<string, string>>,
  name: string,
  ...words: string[]
): Promise<[number | null, string]> {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...keys };
  const child = spawn(process.execPath, [join(root, `scripts/${name}.mjs`), ...words], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return [code, said.trim()];
}
