import type { Sql } from 'postgres';
import { permissionsOf, type Permission } from '#shared/roles.ts';

export interface WhoAsks {
  meetingId: string;
  /** Null: whoever has the link. */
  userId: string | null;
}

/** What a person may do on a meeting; null when there is no such meeting. */
export async function accessOf(
  sql: Sql,
  meetingId: string,
  userId: string | null,
  which?: 'living' | 'deleted',
): Promise<ReadonlySet<Permission> | null> {
  const [held = null] = await accessesOf(sql, [{ meetingId, userId }], which);
  return held;
}

/** The same of many at once: an answer for each who asks. */
export async function accessesOf(
  sql: Sql,
  asked: readonly WhoAsks[],
  /** Of a deleted one only whoever may bring it back is told anything. */
  which: 'living' | 'deleted' = 'living',
): Promise<(ReadonlySet<Permission> | null)[]> {
  const rows = await sql<{ n: string; owner_id: string; kind: string | null; permissions: string[] | null }[]>`
    select w.n, m.owner_id, a.kind, a.permissions
    from unnest(${asked.map(({ meetingId }) => meetingId)}::text[], ${asked.map(({ userId }) => userId ?? '')}::text[])
      with ordinality as w(meeting_id, user_id, n)
    join meetings m on m.id = w.meeting_id and m.deleted_at is ${which === 'deleted' ? sql`not null` : sql`null`}
    left join meeting_access a on a.meeting_id = m.id and (a.kind = 'anonymous' or (a.kind = 'user' and a.principal_id = w.user_id))`;
  const found = asked.map((): (typeof rows)[number][] => []);
  for (const row of rows) found[Number(row.n) - 1]?.push(row);
  return asked.map(({ userId }, i) => {
    const own = found[i] ?? [];
    const [first] = own;
    if (!first) return null;
    const of = (kind: string) => own.find((row) => row.kind === kind)?.permissions ?? [];
    return permissionsOf({
      owner: userId !== null && first.owner_id === userId,
      named: of('user'),
      anonymous: of('anonymous'),
      signedIn: userId !== null,
    });
  });
}
