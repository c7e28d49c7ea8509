// @ts-check
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const base = '/usr/lib/postgresql';

/** The newest PostgreSQL whose server binaries are on this machine, where Debian and its derivatives put them. */
export function systemPostgres() {
  const versions = existsSync(base)
    ? readdirSync(base).filter((name) => existsSync(join(base, name, 'bin/initdb')))
    : [];
  const version = versions.toSorted((one, other) => Number(other) - Number(one))[0];
  return version === undefined ? undefined : { version, binaries: join(base, version) };
}
