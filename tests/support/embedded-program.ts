import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';

const root = new URL('../..', import.meta.url).pathname;

/**
 * Builds `embedded-child.ts`, for a test that starts it dozens of times: reading TypeScript takes each process three
 * times what the rest of its start does. The folder is within the project, where packages are found.
 */
export async function buildEmbeddedChild(): Promise<{ program: string; remove: () => Promise<void> }> {
  await mkdir(join(root, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(root, '.cache/embedded-child-'));
  // Another user starts it, too.
  await chmod(folder, 0o755);
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: join(root, 'tests/support/embedded-child.ts'),
      outDir: folder,
      emptyOutDir: false,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: 'child.mjs' } },
    },
  });
  return { program: join(folder, 'child.mjs'), remove: () => rm(folder, { recursive: true, force: true }) };
}
