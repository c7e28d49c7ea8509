import { accessesOf } from '#db/access.ts';
import { signedIn, type Ctx } from '../context.ts';
import { accessTo } from '../rooms/access.ts';

/** People offered for one recording. */
const mostOffered = 500;

/**
 * People whom comments of the caller can mention, by name alone: its owner, members of teams in its lists and its folders' that the
 * caller is in, and, for who is in these lists, owners of the folders and people named there who have come. All may read it now.
 */
export async function mentionable(
  ctx: Ctx,
  { id }: { id: string },
): Promise<{ people: { id: string; name: string }[] }> {
  const { person } = signedIn(ctx);
  await accessTo(ctx, 'GET /api/meetings/:id/mentionable', id);
  const found = await ctx.db.ask(
    (sql) => sql<{ id: string; name: string }[]>`
      with above as (select f.id, f.owner_id from meetings m join lateral folders_above(m.folder_id) f on true where m.id = ${id}),
      entries as (
        select kind, principal_id, seen_at from meeting_access where meeting_id = ${id}
        union all
        select a.kind, a.principal_id, a.seen_at from folder_access a join above on above.id = a.folder_id
      ),
      owners as (select owner_id as id from meetings where id = ${id} union select owner_id from above),
      -- Somebody with a link alone does not learn whom else it is shared with.
      inside as (
        select ${person.id} in (select id from owners) or exists (
          select 1 from entries where (kind = 'user' and principal_id = ${person.id})
            or (kind = 'group' and principal_id in (select g.id from groups_of(${person.id}) g))
        ) as yes
      ),
      named as (
        select owner_id as id from meetings where id = ${id}
        union
        select id from owners join inside on yes
        union
        select principal_id from entries join inside on yes where kind = 'user' and seen_at is not null
        union
        select m.user_id from entries e join group_members m on e.kind = 'group' and m.group_id = e.principal_id
        where e.principal_id in (select g.id from groups_of(${person.id}) g)
      )
      select u.id, trim(u.first_name || ' ' || u.last_name) as name from users u join named on named.id = u.id
      where u.id <> ${person.id} and u.confirmed_at is not null and trim(u.first_name || u.last_name) <> ''
      order by lower(u.first_name), lower(u.last_name), u.id limit ${mostOffered}`,
  );
  if (found.length === 0) return { people: [] };
  const held = await ctx.db.ask((sql) =>
    accessesOf(
      sql,
      found.map((one) => ({ meetingId: id, userId: one.id })),
    ),
  );
  return { people: found.filter((_, i) => held[i]?.has('read')).map((one) => ({ id: one.id, name: one.name })) };
}
