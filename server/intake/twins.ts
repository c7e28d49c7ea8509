import { and, desc, eq, inArray, isNull, ne, type SQLWrapper } from 'drizzle-orm';
import { accessesOf } from '#db/access.ts';
import { users } from '#db/schema/accounts.ts';
import { intakes } from '#db/schema/intake.ts';
import { meetingProjections, meetings } from '#db/schema/meetings.ts';
import type { CreatedView } from '#shared/intake.ts';
import { mayFind } from '#shared/roles.ts';
import type { Signed } from '../context.ts';

/** A recording made of the same file, as the answer to a new one names it. */
export type Twin = Pick<CreatedView, 'duplicateUrl' | 'duplicate'>;
export const noTwin: Twin = { duplicateUrl: null, duplicate: null };

/** Recordings of the same file whose permissions are looked up, one's own before those of others. */
const mostLookedUp = 100;

/** The newest of these meetings that the caller may read and find without its link, their own before those of others. */
export async function twinIn(ctx: Signed, meetingId: string, same: SQLWrapper): Promise<Twin> {
  const { person, browser = null } = ctx;
  const isOwn = eq(meetings.ownerId, person.id);
  const found = await ctx.db.orm
    .select({
      id: meetings.id,
      ownerId: meetings.ownerId,
      createdAt: meetings.createdAt,
      title: meetingProjections.title,
      firstTitle: intakes.title,
      firstName: users.firstName,
      lastName: users.lastName,
    })
    .from(meetings)
    .innerJoin(intakes, eq(intakes.meetingId, meetings.id))
    .innerJoin(users, eq(users.id, meetings.ownerId))
    .leftJoin(meetingProjections, eq(meetingProjections.meetingId, meetings.id))
    .where(
      and(
        inArray(meetings.id, same),
        ne(meetings.id, meetingId),
        isNull(meetings.deletedAt),
        ne(intakes.state, 'created'),
      ),
    )
    .orderBy(desc(isOwn), desc(meetings.createdAt), meetings.id)
    .limit(mostLookedUp);
  if (found.length === 0) return noTwin;
  const asked = found.map(({ id }) => ({ meetingId: id, userId: person.id, browser }));
  const held = await ctx.db.ask((sql) => accessesOf(sql, asked));
  const twin = found.find((_, i) => held[i] && mayFind(held[i]));
  if (!twin) return noTwin;
  const by = twin.ownerId === person.id ? null : `${twin.firstName} ${twin.lastName}`.trim();
  return {
    duplicateUrl: `/meeting/${twin.id}`,
    duplicate: { title: twin.title ?? twin.firstTitle, addedAt: twin.createdAt.toISOString(), by },
  };
}
