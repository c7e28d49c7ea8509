import { stat } from 'node:fs/promises';
import { ask, type Account } from './programs.ts';

/**
 * Account that runs PostgreSQL: undefined means the current user. PostgreSQL refuses to run as root, so root uses an
 * account that every system has; an existing cluster is always run by its owner.
 */
export async function accountFor(cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(cluster).catch(() => undefined);
  if (owner && owner.uid !== 0) return { name: `number ${owner.uid}`, uid: owner.uid, gid: owner.gid };
  for (const name of ['postgres', 'nobody']) {
    const uid = await ask(undefined, ['id', '-u', name]);
    const gid = await ask(undefined, ['id', '-g', name]);
    if (uid.ok && gid.ok) return { name, uid: Number(uid.output), gid: Number(gid.output) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and there is no user "postgres" or "nobody" to run it as: start as another user.',
  );
}
