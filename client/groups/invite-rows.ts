import { isEmail } from '#shared/email.ts';
import { splitAddresses, withoutDoubles, type GroupRole } from '#shared/group-rules.ts';

/** A row of the dialog; its key stays the same while it is edited. */
export interface InviteRow {
  key: number;
  email: string;
  role: GroupRole;
}

/** Splits a row with several addresses into one row each, with the same role. */
export function splitRow(rows: readonly InviteRow[], key: number, fresh: () => number, typed?: string): InviteRow[] {
  return rows.flatMap((row) => {
    if (row.key !== key) return [row];
    const [first = '', ...more] = splitAddresses(typed ?? row.email);
    return [{ ...row, email: first }, ...more.map((email) => ({ key: fresh(), email, role: row.role }))];
  });
}

/** The rows to send: none empty, no address twice. Without any address, one empty row remains for its error. */
export function rowsToSend(rows: readonly InviteRow[], fresh: () => number): InviteRow[] {
  const split = rows.reduce<readonly InviteRow[]>((all, { key }) => splitRow(all, key, fresh), rows);
  const filled = split.filter(({ email }) => email !== '');
  return filled.length === 0 ? split.slice(0, 1) : withoutDoubles(filled);
}

/** Rows that are no addresses; nothing is sent while there is one. */
export const wrongRows = (rows: readonly InviteRow[]): ReadonlyMap<number, 'missing' | 'noEmail'> =>
  new Map(
    rows.flatMap(({ key, email }) =>
      isEmail(email) ? [] : [[key, email === '' ? ('missing' as const) : ('noEmail' as const)]],
    ),
  );
