import { isEmail } from '#shared/email.ts';
import { splitAddresses, withoutDoubles, type GroupRole } from '#shared/group-rules.ts';

/** A line of the dialog; its key stays while it is typed in. */
export interface InviteRow {
  key: number;
  email: string;
  role: GroupRole;
}

/** What stands in one line becomes a line for each address in it, all with the role of that one. */
export function splitRow(rows: readonly InviteRow[], key: number, fresh: () => number, typed?: string): InviteRow[] {
  return rows.flatMap((row) => {
    if (row.key !== key) return [row];
    const [first = '', ...more] = splitAddresses(typed ?? row.email);
    return [{ ...row, email: first }, ...more.map((email) => ({ key: fresh(), email, role: row.role }))];
  });
}

/** What is sent: nothing empty, and nobody twice. Whoever typed nothing at all has one empty line. */
export function rowsToSend(rows: readonly InviteRow[], fresh: () => number): InviteRow[] {
  const split = rows.reduce<readonly InviteRow[]>((all, { key }) => splitRow(all, key, fresh), rows);
  const filled = split.filter(({ email }) => email !== '');
  return filled.length === 0 ? split.slice(0, 1) : withoutDoubles(filled);
}

/** Lines that cannot be sent: nothing leaves while there is one. */
export const wrongRows = (rows: readonly InviteRow[]): ReadonlyMap<number, 'missing' | 'noEmail'> =>
  new Map(
    rows.flatMap(({ key, email }) =>
      isEmail(email) ? [] : [[key, email === '' ? ('missing' as const) : ('noEmail' as const)]],
    ),
  );
