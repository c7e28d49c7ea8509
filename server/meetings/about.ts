import { eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { meetings } from '#db/schema/meetings.ts';
import type { MediumView } from '#shared/meetings/media.ts';
import type { MeetingAbout } from '#shared/meetings/meeting.ts';
import { Problem } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import { setsShown } from '../outcome-models/named.ts';
import { accessById } from '../rooms/access.ts';
import { intakeWithMedia, progressOf } from '../intake/drafts.ts';
import { closedColumns, closedViewOf, closers } from '../sharing/closed.ts';
import { noteVisit } from '../sharing/visits.ts';
import type { Medium } from '../media/media.ts';

/** Properties of a meeting that its page needs before the document. */
export async function aboutMeeting(ctx: Ctx, { id }: { id: string }): Promise<MeetingAbout> {
  const { meetingId, layerId, held } = await accessById(ctx, 'GET /api/meetings/:id/about', id);
  if (layerId === null) await noteVisit(ctx, { kind: 'meeting', id });
  const [[owner], { intake, media }, outcomeSets] = await Promise.all([
    ctx.db.orm
      .select({
        id: users.id,
        firstName: users.firstName,
        lastName: users.lastName,
        at: meetings.createdAt,
        ...closedColumns,
      })
      .from(meetings)
      .innerJoin(users, eq(users.id, meetings.ownerId))
      .leftJoin(closers, eq(closers.id, meetings.closedBy))
      .where(eq(meetings.id, meetingId)),
    intakeWithMedia(ctx, meetingId),
    setsShown(ctx, { meetingId, layerId }),
  ]);
  if (!owner) throw new Problem('NO_ACCESS');
  return {
    id,
    permissions: [...held],
    owner: { id: owner.id, name: `${owner.firstName} ${owner.lastName}`.trim() },
    media: media.map((medium) => mediumView(medium, id)),
    date: owner.at.toISOString(),
    progress: progressOf(intake),
    closed: closedViewOf(owner),
    outcomeSets,
  };
}

/** `of`: the id that the caller came with, a meeting's or a layer's. */
export function mediumView({ id, tag, name, type, bytes, durationMs }: Medium, of: string): MediumView {
  return {
    id,
    tag,
    src: `/api/meetings/${of}/media/${id}`,
    name,
    type,
    bytes,
    duration: durationMs === null ? null : durationMs / 1000,
  };
}
