import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './ports.ts';

/** Reason why tests that need Redis are skipped on this machine. */
export const noRedis = 'no redis-server on this machine';

/** Binary that `npm test` found or installed, else the one in the path. */
export function redisBinary(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const known = [process.env['TEST_REDIS'], ...folders.map((folder) => join(folder, 'redis-server'))];
  return known.find((path) => path && existsSync(path)) ?? null;
}

export interface TestRedis {
  url: string;
  /** Kills it, like a machine that fails; its data is gone. */
  stop(): Promise<void>;
  /** Starts it again at the same address, empty. */
  start(): Promise<void>;
  /** Suspends the process, so that Redis seems to hang. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** Starts a Redis for one test: a process on a free port that writes nothing to disk. */
export async function openRedis(): Promise<TestRedis> {
  const binary = redisBinary();
  if (!binary) throw new Error(noRedis);
  const folder = await mkdtemp(join(tmpdir(), 'colloquy-redis-'));
  const port = await freePort();
  let child: ChildProcess | null = null;
  const kill = () => child?.kill('SIGKILL');
  process.once('exit', kill);

  const start = async () => {
    const settings = [
      '--port',
      String(port),
      '--bind',
      '127.0.0.1',
      '--save',
      '',
      '--appendonly',
      'no',
      '--dir',
      folder,
    ];
    const server = spawn(binary, settings, { stdio: ['ignore', 'pipe', 'inherit'] });
    child = server;
    let said = '';
    for await (const part of server.stdout) {
      said += String(part);
      if (said.includes('Ready to accept connections')) break;
    }
  };
  const stop = async () => {
    const server = child;
    child = null;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGCONT');
    server.kill('SIGTERM');
    await once(server, 'exit');
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    stop,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    close: async () => {
      process.off('exit', kill);
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
