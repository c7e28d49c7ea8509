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
const blockedFields = new WeakMap<Buffer, Buffer<ArrayBuffer>>();

/** Sets the flags in the JSON of a transcript. A quote within a text is escaped, so that only keys are found. */
export function withFlags(
  fields: Buffer<ArrayBuffer>,
  { blocked, edited }: { blocked: boolean; edited: readonly string[] },
): Buffer<ArrayBuffer> {
  let now = fields;
  if (blocked) {
    now = blockedFields.get(fields) ?? replaced(fields, '"isBlocked":', 'false', 'true', Infinity);
    blockedFields.set(fields, now);
  }
  for (const id of edited) now = replaced(now, `{"id":${JSON.stringify(id)},"editing":`, 'false', 'true', 1);
  return now;
}

/** Replaces bytes behind others, without a text of the whole being made. */
function replaced(bytes: Buffer<ArrayBuffer>, before: string, old: string, value: string, most: number) {
  const [found, head, inserted] = [Buffer.from(before + old), Buffer.byteLength(before), Buffer.from(value)];
  const parts: Buffer[] = [];
  let from = 0;
  for (let times = 0; times < most; times += 1) {
    const at = bytes.indexOf(found, from);
    if (at < 0) break;
    parts.push(bytes.subarray(from, at + head), inserted);
    from = at + found.byteLength;
  }
  return from === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(from)]);
}
