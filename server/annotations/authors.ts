import { and, asc, eq, inArray } from 'drizzle-orm';
import type * as Y from 'yjs';
import type { Orm } from '#db/open.ts';
import { itemAuthors } from '#db/schema/meetings.ts';
import { rooms } from '#db/schema/rooms.ts';
import { itemKinds, readItems, rootOf, writeItem, type ItemKind } from '#shared/meetings/annotations.ts';
import { withoutNames } from '#shared/meetings/annotation-changes.ts';
import type { House } from '../context.ts';

/** As many meetings as one round of housekeeping looks at. */
const atOnce = 100;

/** Before they say something to all: their name will stand there. */
export async function noteAuthor({ db }: Pick<House, 'db'>, meetingId: string, userId: string): Promise<void> {
  await db.orm.insert(itemAuthors).values({ meetingId, userId }).onConflictDoNothing();
}

/** Within the transaction in which an account goes. */
export async function leaveItems(tx: Orm, userId: string): Promise<void> {
  await tx.update(itemAuthors).set({ gone: true }).where(eq(itemAuthors.userId, userId));
}

/** What people said stays when their account goes, without their name. Done again, it finds nothing to do. */
export async function forgetAuthors(house: House): Promise<void> {
  const { db, log } = house;
  const left = await db.orm
    .select({ meetingId: itemAuthors.meetingId })
    .from(itemAuthors)
    .where(eq(itemAuthors.gone, true))
    .groupBy(itemAuthors.meetingId)
    .orderBy(asc(itemAuthors.meetingId))
    .limit(atOnce);
  for (const { meetingId } of left) {
    try {
      await forgetIn(house, meetingId);
    } catch (error) {
      log.warn({ err: error, meeting: meetingId }, 'names could not be taken out of a recording; tried again later');
    }
  }
}

async function forgetIn({ db, rooms: live }: House, meetingId: string): Promise<void> {
  const of = eq(itemAuthors.meetingId, meetingId);
  const gone = await db.orm
    .select({ userId: itemAuthors.userId })
    .from(itemAuthors)
    .where(and(of, eq(itemAuthors.gone, true)));
  const ids = new Set(gone.map(({ userId }) => userId));
  const parts = await db.orm.select({ part: rooms.part }).from(rooms).where(eq(rooms.meetingId, meetingId));
  for (const kind of itemKinds) {
    const part = rootOf[kind];
    if (!parts.some((one) => one.part === part)) continue;
    await live.change(meetingId, part, { userId: null, origin: 'forget' }, (doc) => forget(doc, kind, ids));
  }
  await db.orm.delete(itemAuthors).where(and(of, inArray(itemAuthors.userId, [...ids])));
}

function forget(doc: Y.Doc, kind: ItemKind, ids: ReadonlySet<string>): void {
  for (const item of readItems(doc, kind, 'shared')) {
    const nameless = withoutNames(item, ids);
    if (nameless) writeItem(doc, kind, { ...nameless, rev: item.rev + 1 }, 'shared', 'forget');
  }
}
