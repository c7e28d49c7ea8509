import type { NotesInput } from '#shared/meetings/annotation-inputs.ts';
import { parseNotes, readNotes, writeNotes } from '#shared/meetings/notes.ts';
import { invalid } from '#shared/problems.ts';
import { signedIn, type Ctx } from '../context.ts';
import { callerOf, readRoom, writeRoom } from './rooms.ts';

// Notes are private: the room is derived from the signed-in person, never from the request.

const placeOf = (ctx: Ctx) => ({ part: 'notes', of: signedIn(ctx).person.id }) as const;

export async function viewNotes(ctx: Ctx, { id }: { id: string }): Promise<{ text: string }> {
  const { meetingId } = await callerOf(ctx, 'GET /api/meetings/:id/notes', id);
  return { text: await readRoom(ctx, meetingId, placeOf(ctx), (doc) => JSON.stringify(readNotes(doc))) };
}

export async function saveNotes(ctx: Ctx, { id, text }: NotesInput & { id: string }): Promise<{ text: string }> {
  const who = await callerOf(ctx, 'PUT /api/meetings/:id/notes', id);
  const notes = parseNotes(text);
  if (!notes) throw invalid({ field: 'text', code: 'invalid' });
  return writeRoom(ctx, {
    place: placeOf(ctx),
    origin: 'save notes',
    who,
    write: (doc) => {
      writeNotes(doc, notes, 'notes');
      return { text: JSON.stringify(readNotes(doc)) };
    },
  });
}
