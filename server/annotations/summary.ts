import { newId } from '#shared/ids.ts';
import { itemId as annotationName, type SummaryInput } from '#shared/meetings/annotation-inputs.ts';
import {
  addSummary,
  lastOrder,
  longestSummary,
  mostSummary,
  readSummary,
  removeSummary,
  withOrder,
  writeSummary,
  type SummaryItem,
} from '#shared/meetings/summary.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { allows } from '#shared/roles.ts';
import { signedIn, type Ctx } from '../context.ts';
import { meetingCallerOf, readRoom, writeRoom, type Caller } from './rooms.ts';

// Private summary points; shared ones are part of the transcript.

const ownRoom = (ctx: Ctx) => ({ part: 'notes', of: signedIn(ctx).person.id }) as const;
const shared = { part: 'transcript', of: null } as const;

const mayWrite = ({ held }: Caller): boolean => allows('PUT /api/meetings/:id', held);

/** Shared summary points, followed by the caller's private ones if they are requested. */
export async function summaryFor(
  ctx: Ctx,
  id: string,
  { withPrivate }: { withPrivate: boolean },
): Promise<(SummaryItem & { private: boolean })[]> {
  const [all, mine] = await Promise.all([
    readRoom(ctx, id, shared, (doc) => readSummary(doc, 'shared')),
    ctx.person && withPrivate ? readRoom(ctx, id, ownRoom(ctx), (doc) => readSummary(doc, 'private')) : [],
  ]);
  const ids = new Set(all.map((one) => one.id));
  return [
    ...all.map((one) => ({ ...one, private: false })),
    ...mine.filter((one) => !ids.has(one.id)).map((one) => ({ ...one, private: true })),
  ];
}

export async function viewOwnSummary(ctx: Ctx, { id }: { id: string }): Promise<{ summary: SummaryItem[] }> {
  await meetingCallerOf(ctx, 'GET /api/meetings/:id/summary/own', id);
  return { summary: await readRoom(ctx, id, ownRoom(ctx), (doc) => readSummary(doc, 'private')) };
}

export async function saveOwnSummary(
  ctx: Ctx,
  { id, summary }: SummaryInput & { id: string },
): Promise<{ summary: SummaryItem[] }> {
  const who = await meetingCallerOf(ctx, 'PUT /api/meetings/:id/summary/own', id);
  const wanted = withOrder(summary).map(({ id: itemId = newId(), order, text }) => ({ id: itemId, order, text }));
  return writeRoom(ctx, {
    place: ownRoom(ctx),
    origin: 'save summary',
    who,
    write: (doc) => {
      writeSummary(doc, 'private', wanted, 'summary');
      return { summary: readSummary(doc, 'private') };
    },
  });
}

/**
 * Publishes a private summary point: appends it to the shared ones, then deletes the private copy. Requires the
 * permission to write the transcript, as shared points do.
 */
export async function revealSummary(
  ctx: Ctx,
  who: Caller,
  { id, itemId }: { id: string; itemId: string },
): Promise<{ summary: SummaryItem }> {
  const refused = () => new Problem('NO_PERM', { message: 'No permissions to publish summary' });
  const mine = await readRoom(ctx, id, ownRoom(ctx), (doc) => readSummary(doc, 'private'));
  // The caller's private room is not validated on write.
  const item = annotationName.safeParse(itemId).success ? mine.find((one) => one.id === itemId) : undefined;
  if (!item || !mayWrite(who)) throw refused();
  const text = item.text.trim();
  if (text === '') throw invalid({ field: 'summary.text', code: 'required' });
  if (text.length > longestSummary) throw invalid({ field: 'summary.text', code: 'too_long' });
  const shown = await writeRoom(ctx, {
    place: shared,
    origin: 'reveal summary',
    who,
    first: true,
    write: (doc, now) => {
      if (!mayWrite(now)) throw refused();
      const all = readSummary(doc, 'shared');
      // An interrupted publish has stored the shared copy already; a private text edited since exists nowhere else.
      const sharedPoint = all.find((one) => one.id === itemId);
      if (sharedPoint && sharedPoint.text !== text)
        throw new Problem('CONFLICT', { message: 'It is shown already, and says something else' });
      if (sharedPoint) return { summary: sharedPoint };
      if (all.length >= mostSummary) throw invalid({ field: 'summary', code: 'too_many' });
      const summary = { id: itemId, order: lastOrder(doc, 'shared'), text };
      addSummary(doc, 'shared', summary, 'summary');
      return { summary };
    },
  });
  return writeRoom(ctx, {
    place: ownRoom(ctx),
    origin: 'reveal summary',
    who,
    write: (doc) => {
      const now = readSummary(doc, 'private').find((one) => one.id === itemId);
      // The author edited the private copy on another device: that text stays theirs.
      if (now?.text === item.text) removeSummary(doc, 'private', itemId, 'summary');
      return shown;
    },
  });
}
