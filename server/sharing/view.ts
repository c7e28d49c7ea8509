import { eq } from 'drizzle-orm';
import { users } from '#db/schema/accounts.ts';
import { meetings } from '#db/schema/meetings.ts';
import { rooms } from '#db/schema/rooms.ts';
import { Problem } from '#shared/problems.ts';
import type { SharingView } from '#shared/sharing.ts';
import { roomName } from '#sync/server/rooms.ts';
import { signedIn, type Ctx } from '../context.ts';
import { accessTo } from '../rooms/access.ts';
import { versionOf } from '../rooms/version.ts';
import { aclOf } from './acl.ts';
import { inheritedBy } from './inherited.ts';
import { sharingCost } from './paid-share.ts';
import { openRequests } from './requests.ts';

/** Everything that the sharing dialog shows. */
export async function viewSharing(ctx: Ctx, { id }: { id: string }): Promise<SharingView> {
  const signed = signedIn(ctx);
  await accessTo(ctx, 'GET /api/meetings/:id/acl', id);
  const { orm } = ctx.db;
  // The version is read first, so that changes during the other reads are detected when the dialog saves.
  const [room] = await orm
    .select()
    .from(rooms)
    .where(eq(rooms.name, roomName(id, 'transcript', null)));
  const [[owner], entries, requests] = await Promise.all([
    orm
      .select({
        id: users.id,
        firstName: users.firstName,
        lastName: users.lastName,
        folderId: meetings.folderId,
        history: meetings.historyNeeds,
        closedAt: meetings.closedAt,
      })
      .from(meetings)
      .innerJoin(users, eq(users.id, meetings.ownerId))
      .where(eq(meetings.id, id)),
    aclOf(orm, { kind: 'meeting', id }),
    openRequests(ctx, id),
  ]);
  if (!owner) throw new Problem('NO_ACCESS');
  return {
    acl: { entries },
    version: room ? versionOf(room) : 0,
    owner: { id: owner.id, name: `${owner.firstName} ${owner.lastName}`.trim() },
    requests,
    history: owner.history,
    closed: owner.closedAt !== null,
    sharingCost: await sharingCost(ctx, orm, id),
    inherited: await inheritedBy(signed, orm, owner.folderId, owner.id),
  };
}
