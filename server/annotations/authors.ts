import { and, asc, eq, inArray } from 'drizzle-orm';
import type * as Y from 'yjs';
import type { Orm } from '#db/open.ts';
import { annotationAuthors } from '#db/schema/meetings.ts';
import { rooms } from '#db/schema/rooms.ts';
import {
  annotationKinds,
  readAnnotations,
  rootOf,
  writeAnnotation,
  type AnnotationKind,
} from '#shared/meetings/annotations.ts';
import { withoutNames } from '#shared/meetings/annotation-changes.ts';
import type { House } from '../context.ts';

/** Meetings per round of housekeeping. */
const atOnce = 100;

/** Records the author before an annotation with their name becomes visible to others. */
export async function noteAuthor({ db }: Pick<House, 'db'>, meetingId: string, userId: string): Promise<void> {
  await db.orm.insert(annotationAuthors).values({ meetingId, userId }).onConflictDoNothing();
}

/** Marks a person's annotations for `forgetAuthors`; runs in the transaction that deletes the account. */
export async function leaveAnnotations(tx: Orm, userId: string): Promise<void> {
  await tx.update(annotationAuthors).set({ gone: true }).where(eq(annotationAuthors.userId, userId));
}

/** Removes the names of deleted accounts from annotations, which stay; a repeated run changes nothing. */
export async function forgetAuthors(house: House): Promise<void> {
  const { db, log } = house;
  const pending = await db.orm
    .select({ meetingId: annotationAuthors.meetingId })
    .from(annotationAuthors)
    .where(eq(annotationAuthors.gone, true))
    .groupBy(annotationAuthors.meetingId)
    .orderBy(asc(annotationAuthors.meetingId))
    .limit(atOnce);
  for (const { meetingId } of pending) {
    try {
      await forgetIn(house, meetingId);
    } catch (error) {
      log.warn({ err: error, meeting: meetingId }, 'names could not be taken out of a recording; tried again later');
    }
  }
}

async function forgetIn({ db, rooms: live }: House, meetingId: string): Promise<void> {
  const of = eq(annotationAuthors.meetingId, meetingId);
  const gone = await db.orm
    .select({ userId: annotationAuthors.userId })
    .from(annotationAuthors)
    .where(and(of, eq(annotationAuthors.gone, true)));
  const ids = new Set(gone.map(({ userId }) => userId));
  const { part, layerId } = rooms;
  const found = await db.orm.select({ part, layerId }).from(rooms).where(eq(rooms.meetingId, meetingId));
  const by = { userId: null, origin: 'forget' };
  for (const kind of annotationKinds) {
    if (found.some((one) => one.part === rootOf[kind]))
      await live.change(meetingId, rootOf[kind], by, (doc) => forget(doc, kind, ids));
    for (const { layerId: room } of found)
      if (room !== null) await live.change(meetingId, 'layer', { ...by, room }, (doc) => forget(doc, kind, ids));
  }
  await db.orm.delete(annotationAuthors).where(and(of, inArray(annotationAuthors.userId, [...ids])));
}

function forget(doc: Y.Doc, kind: AnnotationKind, ids: ReadonlySet<string>): void {
  for (const item of readAnnotations(doc, kind, 'shared')) {
    const nameless = withoutNames(item, ids);
    if (nameless) writeAnnotation(doc, kind, { ...nameless, rev: item.rev + 1 }, 'shared', 'forget');
  }
}
