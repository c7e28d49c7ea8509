import { eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { meetings } from '#db/schema/meetings.ts';
import { firstTextOf, type FirstText } from '#shared/meetings/first-text.ts';
import type { Permission } from '#shared/roles.ts';
import { roomName } from '#sync/server/rooms.ts';
import type { Ctx } from '../context.ts';
import { intakeWithMedia, progressOf } from '../intake/drafts.ts';
import { accessById } from '../rooms/access.ts';
import { versionSql } from '../rooms/version.ts';

/** First content of a recording's page, for a person who may read it. */
interface FirstPage {
  userId: string;
  /** Null where the text could not stand where the page will put it. */
  text: (FirstText & Beside) | null;
}

export interface Beside {
  permissions: readonly Permission[];
  owner: string;
  hasSound: boolean;
}

/** Throws where the person may not read the recording, and once nobody waits for it any more. */
export async function firstPage(ctx: Ctx, meetingId: string, late: AbortSignal): Promise<FirstPage | null> {
  if (!ctx.person) return null;
  const { layerId, held } = await accessById(ctx, 'GET /api/meetings/:id/about', meetingId);
  late.throwIfAborted();
  if (layerId !== null) return null;
  const userId = ctx.person.id;
  const [[about], { intake, media }, text] = await Promise.all([
    ctx.db.orm
      .select({ firstName: users.firstName, lastName: users.lastName, closedAt: meetings.closedAt })
      .from(meetings)
      .innerJoin(users, eq(users.id, meetings.ownerId))
      .where(eq(meetings.id, meetingId)),
    intakeWithMedia(ctx, meetingId),
    currentText(ctx, meetingId, late),
  ]);
  const { percentage, failures_present: failed } = progressOf(intake);
  // Lines above the text that only the browser can word, and a picture whose place each person chooses.
  const moved = !about || about.closedAt !== null || percentage < 100 || failed || media.some(isVideo);
  if (moved || !text || text.segments.length === 0) return { userId, text: null };
  const owner = `${about.firstName} ${about.lastName}`.trim();
  return { userId, text: { ...text, permissions: [...held], owner, hasSound: media.length > 0 } };
}

const isVideo = ({ tag }: { tag: string }): boolean => tag === 'video';

/** The stored one if it is that of the newest version: an older one may hold what was deleted since. */
async function currentText(ctx: Ctx, meetingId: string, late: AbortSignal): Promise<FirstText | null> {
  const [stored] = await ctx.db.ask(
    (sql) => sql<{ first_text: string | null; current: boolean }[]>`
      select p.first_text, p.version = ${sql.unsafe(versionSql)} as current
      from rooms r left join meeting_projections p on p.meeting_id = r.meeting_id
      where r.name = ${roomName(meetingId, 'transcript', null)}`,
  );
  if (!stored) return null;
  if (stored.current && stored.first_text !== null) return JSON.parse(stored.first_text) as FirstText;
  late.throwIfAborted();
  return ctx.documents.readBuilt(meetingId, (doc) => firstTextOf(doc));
}
