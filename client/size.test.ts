import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { beforeAll, describe, expect, it, vi } from 'vitest';

// Bytes that a phone on a slow network has to load; measured on a build made by this test.

const limit = 200 * 1024;

let chunks: Map<string, Rolldown.OutputChunk>;

beforeAll(async () => {
  // With NODE_ENV=test React's development build would be bundled.
  vi.stubEnv('NODE_ENV', 'production');
  const built = await build({ logLevel: 'error', build: { write: false } });
  const { output } = built as Rolldown.RolldownOutput;
  vi.unstubAllEnvs();
  chunks = new Map(output.filter((file) => file.type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
}, 120_000);

/** The built file whose entry is this source. */
function chunkOf(source: string): string {
  const found = [...chunks.values()].find((chunk) => chunk.facadeModuleId?.endsWith(source));
  if (!found) throw new Error(`${source} has no chunk of its own`);
  return found.fileName;
}

/** All files a screen needs: its parts and their imports. */
function needed(...sources: string[]): Rolldown.OutputChunk[] {
  const names = new Set<string>();
  const walk = (name: string) => {
    const chunk = chunks.get(name);
    if (!chunk || names.has(name)) return;
    names.add(name);
    chunk.imports.forEach(walk);
  };
  sources.map(chunkOf).forEach(walk);
  return [...chunks.values()].filter((chunk) => names.has(chunk.fileName));
}

const gzipped = (parts: readonly Rolldown.OutputChunk[]) =>
  parts.reduce((sum, chunk) => sum + gzipSync(chunk.code).byteLength, 0);

describe('the first load of the sign-in page', () => {
  const signIn = () => needed('/index.html', '/client/accounts/login.tsx', '/shared/i18n/ru.ts');

  it('is under 200 KB of JavaScript, gzipped', () => {
    const size = gzipped(signIn());
    console.info(`sign-in: ${(size / 1024).toFixed(1)} KB in ${signIn().length} files`);
    expect(size).toBeGreaterThan(50 * 1024);
    expect(size).toBeLessThan(limit);
  });

  it('holds nothing that only screens behind it need', () => {
    const modules = signIn().flatMap((chunk) => Object.keys(chunk.modules));
    expect(modules.some((id) => id.includes('/react-dom/'))).toBe(true);
    const strangers = [
      '/zod/',
      '/@floating-ui/',
      '/react-remove-scroll/',
      '/@tiptap/',
      '/yjs/',
      '/client/home/',
      '/client/ui/app-layout',
    ];
    expect(modules.filter((id) => strangers.some((stranger) => id.includes(stranger)))).toEqual([]);
  });
});

it('every screen is a chunk of its own', () => {
  for (const screen of ['/client/home/home.tsx', '/client/dev/blocks.tsx']) {
    expect(needed('/index.html').map((chunk) => chunk.fileName)).not.toContain(chunkOf(screen));
  }
});
