import { join } from 'node:path';
import type { Config } from '#server/config.ts';
import { diskStore } from '#server/outside/disk-store.ts';
import { s3Store } from '#server/outside/s3-store.ts';

/** The store, for commands: they move whole files alone, so nothing is signed. */
export function openStore({ s3, dataDir }: Config) {
  if (s3) return s3Store(s3);
  const none = () => Promise.reject(new Error('a command signs no addresses'));
  return diskStore(join(dataDir, 'files'), { sign: none, verify: none });
}
