import { changedOutcome } from '#shared/meetings/annotation-changes.ts';
import type { Anchored } from '#shared/meetings/anchors.ts';
import {
  longestOutcome,
  outcomeChange,
  outcomeInput,
  type NewOutcome,
  type OutcomeChange,
  type OutcomeEditsInput,
} from '#shared/meetings/annotation-inputs.ts';
import { mayChange, mayDelete } from '#shared/meetings/annotation-rules.ts';
import { usesOf } from '#shared/meetings/annotation-uses.ts';
import {
  dropAnnotation,
  readAnnotation,
  readAnnotations,
  writeAnnotation,
  type Outcome,
} from '#shared/meetings/annotations.ts';
import { isKnownGrade, typeOf, voiceNotes } from '#shared/meetings/outcome-types.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { readSummary } from '#shared/meetings/summary.ts';
import { versionLimit } from '#shared/versions.ts';
import { claimAttachment, dropAttachment } from '../attachments/attachments.ts';
import type { Ctx } from '../context.ts';
import { fieldErrors } from '../http/body.ts';
import { learnTypes } from '../outcome-models/learn.ts';
import { learnHere } from '../outcome-models/named.ts';
import { refusalOf } from '../rooms/access.ts';
import {
  addAnnotation,
  allAnchored,
  anchored,
  answer,
  authorOf,
  changeAnnotation,
  inPrivateRoom,
  visibilityOf,
  privacyOf,
  noSuchAnnotation,
  revealAnnotation,
  stamp,
  timeOf,
} from './annotations.ts';
import { callerOf, placeOf, readRoom, writeRoom, type Caller } from './rooms.ts';

interface Named {
  id: string;
  itemId: string;
}

export async function addOutcome(
  ctx: Ctx,
  { id, outcome: given }: { id: string; outcome: NewOutcome },
): Promise<{ outcome: Outcome }> {
  const who = await callerOf(ctx, 'POST /api/meetings/:id/outcomes', id, { privately: given.private });
  const { meetingId, layerId } = who;
  const { type, text, children, grade, url = null } = given;
  await learnHere(ctx, who, [type]);
  judge({ type, children, grade, url });
  const stamped = stamp(ctx, who, given.id, given.private);
  if (url !== null) await claimAttachment(ctx, { meetingId, layerId, kind: 'outcome', itemId: stamped.id }, url);
  return addAnnotation(ctx, who, 'outcome', {
    ...stamped,
    ...(await anchored(ctx, meetingId, given)),
    type,
    text,
    children,
    grade,
    automatic: false,
    wasAutomatic: false,
    url,
  });
}

export async function changeOutcome(
  ctx: Ctx,
  { id, itemId, outcome: given }: Named & { outcome: OutcomeChange },
): Promise<{ outcome: Outcome }> {
  const { start, end, quote, anchor } = given;
  const caller = await callerOf(ctx, 'POST /api/meetings/:id/outcomes/:itemId/update', id);
  const place =
    start === undefined || end === undefined
      ? null
      : await anchored(ctx, caller.meetingId, { start, end, quote, anchor });
  const isPrivate = await inPrivateRoom(ctx, caller, 'outcome', itemId);
  await learnStored(ctx, caller, isPrivate, [itemId]);
  if (given.type !== undefined) await learnHere(ctx, caller, [given.type]);
  return changeAnnotation(ctx, caller, itemId, 'outcome', (item, who) => changed(ctx, who, item, given, place), {
    isPrivate,
  });
}

/** The outcome after the change; throws if this person has no permission to make it. */
function changed(ctx: Ctx, who: Caller, item: Outcome, given: OutcomeChange, place: Anchored | null): Outcome {
  const { type, text, children, mark, grade } = given;
  if (!mayChange(who, 'outcome', item)) throw refusalOf(who.verb);
  const another = type !== undefined && type !== item.type;
  if (another && typeOf(item.type)?.readOnly) throw invalid({ field: 'outcome.type', code: 'read_only' });
  const next = { ...changedOutcome(item, given, authorOf(ctx, who), timeOf(ctx)), rev: item.rev + 1, ...place };
  if (another && type === voiceNotes.id) throw invalid({ field: 'outcome.type', code: 'read_only' });
  if (another || children || mark || grade !== undefined) judge(next, item);
  // Concurrent edits merge, so that the merged text may exceed the limit.
  if (text !== undefined && next.text.length > longestOutcome)
    throw invalid({ field: 'outcome.text', code: 'too_long' });
  return next;
}

interface Wanted {
  itemId: string;
  /** Index of its first edit, which error messages refer to. */
  nth: number;
  rev: number | undefined;
  given: OutcomeChange;
  place: Anchored | null;
}

/**
 * Changes fields of many outcomes, each by the rules of a single change: all of them or none. Throws CONFLICT if one
 * has another revision than the caller read.
 */
export async function changeOutcomes(
  ctx: Ctx,
  { id, edits, version }: OutcomeEditsInput & { id: string },
): Promise<{ outcomes: Outcome[]; version: number }> {
  const who = await callerOf(ctx, 'POST /api/meetings/:id/outcomes/update', id);
  const current = await ctx.documents.read(who.meetingId, (_doc, state) => state.version);
  if (version >= versionLimit) throw new Problem('CONFLICT', { info: { version: current } });
  if (version > current) throw invalid({ field: 'version', code: 'unknown' });
  const wanted: Wanted[] = [];
  for (const { itemId, nth, rev, fields } of byOutcome(edits)) {
    const parsed = outcomeChange.safeParse({ outcome: fields });
    if (!parsed.success)
      throw new Problem('INVALID', {
        errors: fieldErrors(parsed.error).map(({ field, code }) => ({
          field: field.replace('outcome', `edits.${nth}`),
          code,
        })),
      });
    wanted.push({ itemId, nth, rev, given: parsed.data.outcome, place: null });
  }
  const placed = wanted.flatMap((one) => {
    const { start, end, quote, anchor } = one.given;
    return start === undefined || end === undefined ? [] : [{ one, at: { start, end, quote, anchor } }];
  });
  const places =
    placed.length === 0
      ? []
      : await allAnchored(
          ctx,
          who.meetingId,
          placed.map(({ at }) => at),
        );
  for (const [i, { one }] of placed.entries()) one.place = places[i] ?? null;
  const ids = wanted.map(({ itemId }) => itemId);
  const privacy = await privacyOf(ctx, who, 'outcome', ids);
  // Private and shared outcomes are in two rooms, which cannot be written atomically.
  if (privacy.size > 1) throw invalid({ field: 'edits', code: 'mixed' });
  const isPrivate = privacy.has(true);
  await learnStored(ctx, who, isPrivate, ids);
  await learnHere(
    ctx,
    who,
    wanted.flatMap(({ given }) => given.type ?? []),
  );
  return writeRoom(ctx, {
    place: placeOf(who, 'outcome', isPrivate),
    origin: 'change outcomes',
    who,
    write: (doc, now) => {
      const found = wanted.map((one) => {
        const item = readAnnotation(doc, 'outcome', one.itemId, visibilityOf(isPrivate));
        if (!item) throw noSuchAnnotation();
        return { ...one, item };
      });
      const next = found.map(({ item, given, place }) => changed(ctx, now, item, given, place));
      const stale = found.filter(({ item, rev }) => rev !== undefined && rev !== item.rev);
      if (stale.length > 0)
        throw new Problem('CONFLICT', {
          errors: stale.slice(0, 50).map(({ nth }) => ({ field: `edits.${nth}`, code: 'changed' })),
          info: { version: current },
        });
      for (const outcome of next) writeAnnotation(doc, 'outcome', outcome, visibilityOf(isPrivate), 'item');
      return { outcomes: next.map((one) => answer('outcome', one).outcome), version: current };
    },
  });
}

/** Edits grouped by outcome, in the order in which the outcomes first appear. */
function byOutcome(edits: OutcomeEditsInput['edits']) {
  const found = new Map<string, { itemId: string; nth: number; rev: number | undefined; fields: object }>();
  for (const [nth, { id: itemId, field, value, rev }] of edits.entries()) {
    const known = found.get(itemId) ?? { itemId, nth, rev, fields: {} };
    found.set(itemId, { ...known, rev: rev ?? known.rev, fields: { ...known.fields, [field]: value } });
  }
  return found.values();
}

export async function deleteOutcome(ctx: Ctx, { id, itemId }: Named): Promise<void> {
  const who = await callerOf(ctx, 'DELETE /api/meetings/:id/outcomes/:itemId', id);
  const { meetingId, layerId } = who;
  const isPrivate = await inPrivateRoom(ctx, who, 'outcome', itemId);
  if (!isPrivate) await refuseUsed(ctx, who, itemId);
  let url: string | null = null;
  await writeRoom(ctx, {
    place: placeOf(who, 'outcome', isPrivate),
    origin: 'delete outcome',
    who,
    write: (doc, now) => {
      const item = readAnnotation(doc, 'outcome', itemId, visibilityOf(isPrivate));
      if (!item) throw noSuchAnnotation();
      if (!mayDelete(now, 'outcome', item)) throw refusalOf(who.verb);
      dropAnnotation(doc, 'outcome', itemId, visibilityOf(isPrivate), 'item');
      ({ url } = item);
      return null;
    },
  });
  await dropAttachment(ctx, { meetingId, layerId, kind: 'outcome', itemId }, { url, isPrivate });
}

/**
 * Refuses to delete an outcome that links refer to; only callers with permission to delete learn where the links are.
 */
async function refuseUsed(ctx: Ctx, who: Caller, itemId: string): Promise<void> {
  const { meetingId } = who;
  const item = await readRoom(ctx, meetingId, placeOf(who, 'outcome', false), (doc) =>
    readAnnotation(doc, 'outcome', itemId, 'shared'),
  );
  if (!item || !mayDelete(who, 'outcome', item)) return;
  const [comments, summary] = await Promise.all([
    readRoom(ctx, meetingId, placeOf(who, 'comment', false), (doc) => readAnnotations(doc, 'comment', 'shared')),
    ctx.documents.read(meetingId, (doc) => readSummary(doc, 'shared')),
  ]);
  const places = usesOf(itemId, comments, summary);
  if (places.length > 0)
    throw new Problem('CONFLICT', {
      message: "An outcome in use can't be deleted",
      info: { places: places.slice(0, 50) },
    });
}

export async function revealOutcome(ctx: Ctx, who: Caller, named: Named): Promise<{ outcome: Outcome }> {
  // A private room takes what its owner's page writes: the type is judged where others would read its words.
  await learnHere(ctx, who, await storedTypes(ctx, who, true, [named.itemId]));
  return revealAnnotation(ctx, who, named.itemId, 'outcome', (item) => {
    const { data } = outcomeInput.safeParse({ outcome: item });
    if (!data) throw invalid({ field: 'outcome', code: 'invalid' });
    const { type, text, children, grade, start, end, url = null } = data.outcome;
    judge({ type, children, grade, url });
    const { anchor, quote } = item;
    const found = { anchor, start, end, quote, type, text, children, grade, url };
    return { ...item, ...found, automatic: false, wasAutomatic: false };
  });
}

/** Learns the types of outcomes that are there. */
async function learnStored(ctx: Ctx, who: Caller, isPrivate: boolean, ids: readonly string[]): Promise<void> {
  await learnTypes(ctx.db.orm, await storedTypes(ctx, who, isPrivate, ids));
}

const storedTypes = (ctx: Ctx, who: Caller, isPrivate: boolean, ids: readonly string[]): Promise<string[]> =>
  readRoom(ctx, who.meetingId, placeOf(who, 'outcome', isPrivate), (doc) =>
    ids.flatMap((id) => readAnnotation(doc, 'outcome', id, visibilityOf(isPrivate))?.type ?? []),
  );

type Judged = Pick<Outcome, 'type' | 'children' | 'grade' | 'url'>;

/**
 * Checks that the type exists and has these grades and child types, unless they are stored in the outcome already; only a
 * voice note has a recording.
 */
function judge({ type, children, grade, url }: Judged, stored: Judged | null = null): void {
  const wrong = (field: string, code: string) => invalid({ field: `outcome.${field}`, code });
  const found = typeOf(type);
  if (!found) throw wrong('type', 'unknown');
  const spoken = type === voiceNotes.id;
  if (found.readOnly && !spoken) throw wrong('type', 'read_only');
  if (spoken !== (url !== null)) throw wrong('url', spoken ? 'required' : 'invalid');
  const before = stored?.type === type ? stored : null;
  if (grade !== before?.grade && !isKnownGrade(found, grade)) throw wrong('grade', 'invalid');
  for (const child of children) {
    if (before?.children.some((one) => one.type === child.type && one.grade === child.grade)) continue;
    if (!found.children.includes(child.type)) throw wrong('children', 'unknown');
    if (!isKnownGrade(found, child.grade)) throw wrong('children', 'invalid');
  }
}
