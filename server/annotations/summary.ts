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
import { callerOf, readRoom, writeRoom, type Caller } from './rooms.ts';

// The points of a summary that somebody keeps to themselves; those of all are a part of the transcript's document.

const own = (ctx: Ctx) => ({ part: 'notes', userId: signedIn(ctx).person.id }) as const;
const shared = { part: 'transcript', userId: null } as const;

const mayWrite = ({ held }: Caller): boolean => allows('PUT /api/meetings/:id', held);

/** The points of all, and behind them those the caller keeps private, where they are wanted. */
export async function summaryFor(
  ctx: Ctx,
  id: string,
  { withPrivate }: { withPrivate: boolean },
): Promise<(SummaryItem & { private: boolean })[]> {
  const [all, mine] = await Promise.all([
    readRoom(ctx, id, shared, (doc) => readSummary(doc, 'shared')),
    ctx.person && withPrivate ? readRoom(ctx, id, own(ctx), (doc) => readSummary(doc, 'private')) : [],
  ]);
  const ids = new Set(all.map((one) => one.id));
  return [
    ...all.map((one) => ({ ...one, private: false })),
    ...mine.filter((one) => !ids.has(one.id)).map((one) => ({ ...one, private: true })),
  ];
}

export async function viewOwnSummary(ctx: Ctx, { id }: { id: string }): Promise<{ summary: SummaryItem[] }> {
  await callerOf(ctx, 'GET /api/meetings/:id/summary/own', id);
  return { summary: await readRoom(ctx, id, own(ctx), (doc) => readSummary(doc, 'private')) };
}

export async function saveOwnSummary(
  ctx: Ctx,
  { id, summary }: SummaryInput & { id: string },
): Promise<{ summary: SummaryItem[] }> {
  const who = await callerOf(ctx, 'PUT /api/meetings/:id/summary/own', id);
  const wanted = withOrder(summary).map(({ id: itemId = newId(), order, text }) => ({ id: itemId, order, text }));
  return writeRoom(ctx, {
    id,
    place: own(ctx),
    origin: 'save summary',
    who,
    write: (doc) => {
      writeSummary(doc, 'private', wanted, 'summary');
      return { summary: readSummary(doc, 'private') };
    },
  });
}

/**
 * Puts a point of one's own behind those of all, then takes it from where only its author had it. Those of all are written
 * by whoever may write the text, so revealing one takes the same.
 */
export async function revealSummary(
  ctx: Ctx,
  who: Caller,
  { id, itemId }: { id: string; itemId: string },
): Promise<{ summary: SummaryItem }> {
  const refused = () => new Problem('NO_PERM', { message: 'No permissions to publish summary' });
  const mine = await readRoom(ctx, id, own(ctx), (doc) => readSummary(doc, 'private'));
  // In one's own room any program may have written anything, under any name.
  const item = annotationName.safeParse(itemId).success ? mine.find((one) => one.id === itemId) : undefined;
  if (!item || !mayWrite(who)) throw refused();
  const text = item.text.trim();
  if (text === '') throw invalid({ field: 'summary.text', code: 'required' });
  if (text.length > longestSummary) throw invalid({ field: 'summary.text', code: 'too_long' });
  const shown = await writeRoom(ctx, {
    id,
    place: shared,
    origin: 'reveal summary',
    who,
    first: true,
    write: (doc, now) => {
      if (!mayWrite(now)) throw refused();
      const all = readSummary(doc, 'shared');
      // Cut before it was taken from the own ones: there it is. What was written in the own one since is in no other place.
      const there = all.find((one) => one.id === itemId);
      if (there && there.text !== text)
        throw new Problem('CONFLICT', { message: 'It is shown already, and says something else' });
      if (there) return { summary: there };
      if (all.length >= mostSummary) throw invalid({ field: 'summary', code: 'too_many' });
      const summary = { id: itemId, order: lastOrder(doc, 'shared'), text };
      addSummary(doc, 'shared', summary, 'summary');
      return { summary };
    },
  });
  return writeRoom(ctx, {
    id,
    place: own(ctx),
    origin: 'reveal summary',
    who,
    write: (doc) => {
      const now = readSummary(doc, 'private').find((one) => one.id === itemId);
      // Somebody goes on typing in it on another device: that stays theirs.
      if (now?.text === item.text) removeSummary(doc, 'private', itemId, 'summary');
      return shown;
    },
  });
}
