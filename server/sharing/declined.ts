import type { Orm } from '#db/open.ts';
import { dropRow, holdShared, putRow, rowsOf, type Shared } from './rows.ts';

/**
 * Takes from an address what it has declined, or gives it back. The row keeps the permissions, so that accepting later
 * gives what was shared; nothing changes for an address that is not named.
 */
export async function setDeclined(tx: Orm, shared: Shared, address: string, declined: boolean): Promise<void> {
  await holdShared(tx, shared);
  const [from, to] = declined ? ['pending', 'declined'] : ['declined', 'pending'];
  const row = (await rowsOf(tx, shared)).find((one) => one.kind === from && one.principalId === address);
  if (!row) return;
  await dropRow(tx, shared, row);
  await putRow(tx, shared, { ...row, kind: to });
}
