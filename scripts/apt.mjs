// @ts-check
import { existsSync } from 'node:fs';
import { run, step } from './run.mjs';

const minutes = 10;

/**
 * Installs Debian packages if possible, in bounded time. Resolves to the reason if not: tests that need them are then
 * skipped.
 * @param {string[]} packages
 * @param {AbortSignal} signal
 * @returns {Promise<string | undefined>}
 */
export async function aptInstall(packages, signal) {
  if (process.getuid?.() !== 0) return 'installing packages needs root';
  if (!existsSync('/usr/bin/apt-get')) return 'this machine has no apt-get';
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(minutes * 60_000)]);
  const patient = ['-q', '-o', 'DPkg::Lock::Timeout=120'];
  const installArgs = [...patient, 'install', '-y', '--no-install-recommends', ...packages];
  try {
    await step(`Installing ${packages.join(', ')} with apt-get`, async () => {
      await run('apt-get', [...patient, 'update'], { env, signal: bounded, anyCode: true });
      await run('apt-get', installArgs, { env, signal: bounded });
    });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return `apt-get: ${error instanceof Error ? error.message : error}`;
  }
}
