import type { MergedInput, Undone } from '#shared/actions.ts';
import { splitSpeakers } from '#shared/meetings/speakers.ts';
import { Problem } from '#shared/problems.ts';
import { signedIn, transaction, type Ctx } from '../context.ts';
import { keepResult } from '../http/once.ts';
import { rules } from '../limits.ts';
import { noteAction, type SpeakersChange } from '../people/noted.ts';
import { accessByCall } from '../rooms/access.ts';
import { shownTitle } from '../rooms/projection.ts';
import { writePart } from './parts.ts';

// Merges of speakers as actions that can be undone. People merge them while they edit, without the server; their page then
// says what takes it back. Nothing is believed of it: undoing is an edit by the rights of the person who asks.

const verb = 'POST /api/meetings/:id/edits';

export async function noteMerge(ctx: Ctx, { meeting, speaker, into, segments }: MergedInput): Promise<void> {
  const signed = signedIn(ctx);
  await ctx.limits.take(rules.write, signed.person.id);
  const { meetingId } = await accessByCall(ctx, verb, meeting);
  const [row] = await ctx.db.ask(
    (sql) => sql<{ title: string }[]>`
      select ${shownTitle(sql)} as title from meetings m
      left join meeting_projections p on p.meeting_id = m.id left join intakes i on i.meeting_id = m.id
      where m.id = ${meetingId}`,
  );
  const what = { name: speaker.name, into: into.name, title: row?.title ?? '' };
  const changes: SpeakersChange[] = [{ meeting, speaker, into: into.id, segments }];
  await transaction(ctx, async (tx) => {
    await noteAction(signed, tx, { kind: 'speakers', what, changes });
    await keepResult(ctx, tx, null);
  });
}

/** Separates speakers again, for the paragraphs that nobody has given to another one since. */
export async function undoMerge(ctx: Ctx, id: string, changes: readonly SpeakersChange[]): Promise<Undone> {
  const [change] = changes;
  if (!change) throw new Problem('CONFLICT');
  const { meeting } = change;
  await writePart(ctx, {
    verb,
    recording: meeting,
    origin: 'edit',
    write: (doc) => {
      if (!splitSpeakers(doc, change, 'edit')) throw new Problem('CONFLICT');
    },
    action: () => ({ id, undoes: { meeting, left: null } }),
  });
  return { undone: 1, failed: [] };
}
