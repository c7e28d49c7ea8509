import { sql } from 'drizzle-orm';
import type { Orm } from '#db/open.ts';
import type { HistoryNeeds } from '#shared/roles.ts';
import type { Signed } from '../context.ts';
import { noteAction, type NotedAccess, type ShareChange } from '../people/noted.ts';
import type { AccessRow, Shared } from './rows.ts';

// Changes of who has access, as actions that can be undone (undo-share.ts).

export const sameRow = (a: Pick<AccessRow, 'kind' | 'principalId'>, b: Pick<AccessRow, 'kind' | 'principalId'>) =>
  a.kind === b.kind && a.principalId === b.principalId;

/** Whether two rows of one principal give the same. */
export const alike = (row: AccessRow, one: AccessRow): boolean =>
  row.codeId === one.codeId &&
  row.expiresAt?.getTime() === one.expiresAt?.getTime() &&
  row.permissions.length === one.permissions.length &&
  row.permissions.every((permission) => one.permissions.includes(permission));

const stored = ({ permissions, email, seenAt, codeHash, codeId, expiresAt }: AccessRow): NotedAccess => ({
  ...{ permissions, email, codeId },
  seenAt: seenAt?.toISOString() ?? null,
  codeHash: codeHash?.toString('hex') ?? null,
  expiresAt: expiresAt?.toISOString() ?? null,
});

const timeOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** A row as an action has stored it. */
export const rowFrom = (
  { kind, principalId }: Pick<AccessRow, 'kind' | 'principalId'>,
  { permissions, email, seenAt, codeHash, codeId, expiresAt }: NotedAccess,
): AccessRow => ({
  ...{ kind, principalId, permissions, email, codeId },
  ...{ seenAt: timeOf(seenAt), expiresAt: timeOf(expiresAt) },
  codeHash: codeHash === null ? null : Buffer.from(codeHash, 'hex'),
});

interface Lists {
  before: readonly AccessRow[];
  after: readonly AccessRow[];
  history: { before: HistoryNeeds; after: HistoryNeeds } | null;
}

/** Notes a change of the list, with the name of what is shared. */
export async function noteShare(
  ctx: Signed,
  tx: Orm,
  shared: Shared,
  { before, after, history }: Lists,
): Promise<void> {
  const all = [...before, ...after.filter((one) => !before.some((row) => sameRow(row, one)))];
  const rows = all.flatMap(({ kind, principalId }): ShareChange['rows'] => {
    const at = { kind, principalId };
    const [old, now] = [before, after].map((list) => list.find((row) => sameRow(row, at)));
    if (old && now && alike(old, now)) return [];
    return [{ ...at, before: old ? stored(old) : null, after: now ? stored(now) : null }];
  });
  const of = shared.kind === 'meeting' ? { meeting: shared.id } : { folder: shared.id };
  const what = { of: shared.kind, name: await nameOf(tx, shared) };
  await noteAction(ctx, tx, { kind: 'share', what, changes: [{ ...of, rows, history }] });
}

async function nameOf(tx: Orm, { kind, id }: Shared): Promise<string> {
  const [row] = await tx.execute<{ name: string }>(
    kind === 'folder'
      ? sql`select name from folders where id = ${id}`
      : sql`
        select coalesce(nullif(p.title, ''), i.title, '') as name from meetings m
        left join meeting_projections p on p.meeting_id = m.id left join intakes i on i.meeting_id = m.id
        where m.id = ${id}`,
  );
  return row?.name ?? '';
}
