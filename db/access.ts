import type { Sql } from 'postgres';
import { permissionsOf, type Permission } from '#shared/roles.ts';

/** What a person (null: whoever has the link) may do on a meeting; null when there is no such meeting. */
export async function accessOf(
  sql: Sql,
  meetingId: string,
  userId: string | null,
): Promise<ReadonlySet<Permission> | null> {
  const rows = await sql<{ owner_id: string; kind: string | null; permissions: string[] | null }[]>`
    select m.owner_id, a.kind, a.permissions
    from meetings m
    left join meeting_access a on a.meeting_id = m.id and (a.kind = 'anonymous' or (a.kind = 'user' and a.principal_id = ${userId ?? ''}))
    where m.id = ${meetingId} and m.deleted_at is null`;
  const [first] = rows;
  if (!first) return null;
  const of = (kind: string) => rows.find((row) => row.kind === kind)?.permissions ?? [];
  return permissionsOf({
    owner: userId !== null && first.owner_id === userId,
    named: of('user'),
    anonymous: of('anonymous'),
    signedIn: userId !== null,
  });
}
