import * as Y from 'yjs';
import { readSegments, segmentAt, textOf } from '#shared/meetings/transcript.ts';
import type { Ctx } from '../context.ts';

// Two fields of each segment on the wire: `editing`, somebody types in it now, and `isBlocked`, the caller may not
// change it. Neither is a lock.

/** As `Documents` writes them into the JSON of each segment, right behind its id. */
export const noFlags = { editing: false, isBlocked: false };

/** Ids of the segments in which somebody types. */
export async function editedSegments(ctx: Ctx, meetingId: string): Promise<string[]> {
  const heads = ctx.rooms.typing(meetingId, 'transcript');
  if (heads.length === 0) return [];
  return ctx.documents.read(meetingId, (doc) => {
    const segments = readSegments(doc);
    const ids = heads.flatMap((head) => {
      const at = indexOf(doc, head);
      return (at === null ? null : segmentAt(segments, at)?.id) ?? [];
    });
    return [...new Set(ids)].toSorted();
  });
}

/** Positions come from clients; malformed and foreign ones are nowhere. */
function indexOf(doc: Y.Doc, head: unknown): number | null {
  if (typeof head !== 'object' || head === null) return null;
  try {
    const position = Y.createRelativePositionFromJSON(head);
    const found = Y.createAbsolutePositionFromRelativePosition(position, doc, false);
    return found && found.type === textOf(doc) ? found.index : null;
  } catch {
    return null;
  }
}

/** Fields for people who may not write, made once for each state. */
const blockedFields = new WeakMap<Buffer, Buffer>();

/** Sets the flags in the JSON of a transcript. A quote within a text is escaped, so that only keys are found. */
export function withFlags(
  fields: Buffer,
  { blocked, edited }: { blocked: boolean; edited: readonly string[] },
): Buffer {
  let now = fields;
  if (blocked) {
    now =
      blockedFields.get(fields) ?? Buffer.from(fields.toString().replaceAll('"isBlocked":false', '"isBlocked":true'));
    blockedFields.set(fields, now);
  }
  if (edited.length === 0) return now;
  let text = now.toString();
  for (const id of edited) {
    const before = `{"id":${JSON.stringify(id)},"editing":`;
    text = text.replace(`${before}false`, () => `${before}true`);
  }
  return Buffer.from(text);
}
