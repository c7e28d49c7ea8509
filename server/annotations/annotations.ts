import type * as Y from 'yjs';
import type { Effects } from '#db/answers.ts';
import type { Anchored } from '#shared/meetings/anchors.ts';
import { newId } from '#shared/ids.ts';
import { carriedOver } from '#shared/meetings/annotation-changes.ts';
import { mayReveal } from '#shared/meetings/annotation-rules.ts';
import {
  dropAnnotation,
  everStood,
  readAnnotation,
  readAnnotations,
  writeAnnotation,
  type Author,
  type Annotation,
  type AnnotationKind,
  type AnnotationOf,
} from '#shared/meetings/annotations.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { claimAttachment } from '../attachments/attachments.ts';
import { signedIn, type Ctx } from '../context.ts';
import { carriedAnchors } from '../rooms/carry.ts';
import { askerOf } from '../rooms/whole-documents.ts';
import { anchored as anchoredIn, namesWords, type GivenPlace } from '../rooms/whole-readings.ts';
import { placeOf, readRoom, writeRoom, type Caller } from './rooms.ts';
import { onWire } from './wire.ts';

/** Annotations of one kind that one room may hold. */
const mostAnnotations = 5000;

export const noSuchAnnotation = (): Problem => new Problem('NOT_FOUND');

/** Author of what a person writes: in an anonymous review their row, which names nobody. */
export function authorOf(ctx: Ctx, { reviewerId }: Pick<Caller, 'reviewerId'> = { reviewerId: null }): Author {
  if (reviewerId !== null) return { id: reviewerId, kind: 'reviewer', name: '' };
  const { person } = signedIn(ctx);
  return { id: person.id, kind: 'user', name: `${person.firstName} ${person.lastName}`.trim() };
}

/** Anchors an annotation at the characters it names, or at the words between its times. */
export async function anchored(ctx: Ctx, id: string, given: GivenPlace): Promise<Anchored> {
  const [place] = await allAnchored(ctx, id, [given]);
  if (!place) throw new Error('no place');
  return place;
}

/** Anchors many annotations with a single read of the transcript. */
export async function allAnchored(ctx: Ctx, id: string, all: readonly GivenPlace[]): Promise<Anchored[]> {
  const found = await anchoredNow(ctx, id, all);
  // An annotation that was begun before the transcript was renewed stands on the same words.
  const late = all.flatMap(({ anchor, quote = '' }, nth) =>
    anchor && anchor.g < found.generation ? [{ nth, anchor, quote }] : [],
  );
  if (late.length === 0) return found.places;
  const { carried } = await carriedAnchors(ctx, id, late);
  const given = [...all];
  for (const [i, { nth }] of late.entries()) {
    const [place, one] = [all[nth], carried[i]];
    if (place && one?.fate === 'kept') given[nth] = { ...place, anchor: one.anchor };
  }
  return (await anchoredNow(ctx, id, given)).places;
}

/** The words of a long transcript are read in a thread; where nobody needs them, what is in memory is looked at here. */
async function anchoredNow(
  ctx: Ctx,
  id: string,
  all: readonly GivenPlace[],
): Promise<{ generation: number; places: Anchored[] }> {
  if (all.every(namesWords))
    return ctx.documents.read(id, (doc, { generation }) => ({ generation, places: anchoredIn(doc, generation, all) }));
  const { state, answer } = await ctx.documents.answer(id, askerOf(ctx), 'anchored', all);
  return { generation: state.generation, places: answer };
}

/** Fields that the server sets on a new annotation. */
export const stamp = (
  ctx: Ctx,
  who: Pick<Caller, 'reviewerId'>,
  id: string | undefined,
  isPrivate: boolean,
): Omit<Annotation, keyof Anchored> => ({
  id: id ?? newId(),
  rev: 1,
  author: isPrivate ? authorOf(ctx) : authorOf(ctx, who),
  private: isPrivate,
  createdAt: timeOf(ctx),
  editTimestamp: null,
});

export const timeOf = (ctx: Ctx): string => ctx.clock.now().toISOString();

export const visibilityOf = (isPrivate: boolean) => (isPrivate ? 'private' : 'shared');

export async function addAnnotation<K extends AnnotationKind>(
  ctx: Ctx,
  who: Caller,
  kind: K,
  item: AnnotationOf[K],
  look: (doc: Y.Doc) => AnnotationOf[K] = () => item,
  effects: Effects | null = null,
): Promise<{ [k in K]: AnnotationOf[K] }> {
  const isPrivate = item.private;
  return writeRoom(ctx, {
    place: placeOf(who, kind, isPrivate),
    origin: `add ${kind}`,
    who,
    effects,
    write: (doc) => {
      // Deleted ids count as taken, too: a request may be sent again after its stored answer has expired.
      if (everStood(doc, kind, item.id, visibilityOf(isPrivate)))
        throw new Problem('CONFLICT', { errors: [{ field: 'id', code: 'taken' }] });
      refuseTooMany(doc, who, kind, isPrivate);
      const made = look(doc);
      writeAnnotation(doc, kind, made, visibilityOf(isPrivate), 'item');
      return answer(kind, made);
    },
  });
}

/** Id of the author of what a caller writes. */
export const idOf = ({ userId, reviewerId }: Pick<Caller, 'userId' | 'reviewerId'>): string => reviewerId ?? userId;

/** In a layer each author has a limit of their own, so that nobody is refused because of another. */
function refuseTooMany(doc: Y.Doc, who: Caller, kind: AnnotationKind, isPrivate: boolean): void {
  const found = readAnnotations(doc, kind, visibilityOf(isPrivate));
  const counted = who.layerId === null ? found : found.filter(({ author }) => author.id === idOf(who));
  if (counted.length >= mostAnnotations) throw invalid({ field: kind, code: 'too_many' });
}

export const answer = <K extends AnnotationKind>(kind: K, item: AnnotationOf[K]): { [k in K]: AnnotationOf[K] } =>
  ({ [kind]: 'type' in item ? onWire(item) : item }) as { [k in K]: AnnotationOf[K] };

/** True for the caller's private annotation, false for a shared one; throws NOT_FOUND if there is neither. */
export async function inPrivateRoom(ctx: Ctx, who: Caller, kind: AnnotationKind, itemId: string): Promise<boolean> {
  return (await privacyOf(ctx, who, kind, [itemId])).has(true);
}

/** The set of `inPrivateRoom` values for many annotations: one entry if all are in the same room, else two. */
export async function privacyOf(
  ctx: Ctx,
  who: Caller,
  kind: AnnotationKind,
  ids: readonly string[],
): Promise<ReadonlySet<boolean>> {
  const idsIn = (isPrivate: boolean) =>
    readRoom(
      ctx,
      who.meetingId,
      placeOf(who, kind, isPrivate),
      (doc) => new Set(ids.filter((itemId) => readAnnotation(doc, kind, itemId, visibilityOf(isPrivate)) !== null)),
    );
  // Private before shared: an annotation being published is in both rooms for a moment, then in the shared one alone.
  const privateIds = await idsIn(true);
  const sharedIds = await idsIn(false);
  if (!ids.every((itemId) => sharedIds.has(itemId) || privateIds.has(itemId))) throw noSuchAnnotation();
  return new Set(ids.map((itemId) => !sharedIds.has(itemId)));
}

export async function changeAnnotation<K extends AnnotationKind>(
  ctx: Ctx,
  who: Caller,
  itemId: string,
  kind: K,
  change: (item: AnnotationOf[K], who: Caller) => AnnotationOf[K],
  {
    isPrivate,
    effects = null,
    also = () => {},
  }: {
    isPrivate: boolean;
    effects?: Effects | null;
    /** Writes what follows from the change. */
    also?: (doc: Y.Doc) => void;
  },
): Promise<{ [k in K]: AnnotationOf[K] }> {
  return writeRoom(ctx, {
    place: placeOf(who, kind, isPrivate),
    origin: `change ${kind}`,
    who,
    effects,
    write: (doc, now) => {
      const item = readAnnotation(doc, kind, itemId, visibilityOf(isPrivate));
      if (!item) throw noSuchAnnotation();
      const changed = change(item, now);
      writeAnnotation(doc, kind, changed, visibilityOf(isPrivate), 'item');
      also(doc);
      return answer(kind, changed);
    },
  });
}

type Publishing<K extends AnnotationKind> = (
  item: AnnotationOf[K] | null,
  store: (effects: Effects | null) => Promise<{ [k in K]: AnnotationOf[K] }>,
) => Promise<{ [k in K]: AnnotationOf[K] }>;

/** Attempts to publish while the author edits; a person pauses between edits, a program might not. */
const mostReveals = 10;

/**
 * Publishes a private annotation: writes it to the shared room, then deletes the private copy. A crash between the two
 * leaves both copies, readers see one, and a repeated request completes the work. Edits the author makes to the private
 * copy meanwhile are carried over before it is deleted.
 */
export async function revealAnnotation<K extends AnnotationKind>(
  ctx: Ctx,
  who: Caller,
  itemId: string,
  kind: K,
  /** Validates and normalizes: a private room accepts unchecked content from its owner. */
  judged: (item: AnnotationOf[K], shared: Y.Doc) => AnnotationOf[K],
  /** Calls `store`, with the effects of publishing this private copy. */
  publishing: Publishing<K> = (_, store) => store(null),
): Promise<{ [k in K]: AnnotationOf[K] }> {
  const { meetingId, layerId } = who;
  const [mine, all] = [placeOf(who, kind, true), placeOf(who, kind, false)];
  // One error for every case, so that others do not learn whether the annotation exists or who its author is.
  const notYours = () => new Problem('NO_PERM', { message: `No permissions to publish ${kind}` });
  let before: AnnotationOf[K] | null = null;
  for (let attempts = 0; attempts < mostReveals; attempts += 1) {
    const privateCopy = await readRoom(ctx, meetingId, mine, (doc) => readAnnotation(doc, kind, itemId, 'private'));
    const item = privateCopy && { ...privateCopy, author: authorOf(ctx) };
    if (item && !mayReveal(who, item)) throw notYours();
    if (item && item.url !== null) await claimAttachment(ctx, { meetingId, layerId, kind, itemId }, item.url);
    const copied = before;
    const write = (doc: Y.Doc, now: Caller): { [k in K]: AnnotationOf[K] } => {
      if (item && !mayReveal(now, item)) throw notYours();
      const sharedCopy = readAnnotation(doc, kind, itemId, 'shared');
      const taken = () => new Problem('CONFLICT', { errors: [{ field: 'id', code: 'taken' }] });
      if (sharedCopy && sharedCopy.author.id !== idOf(who)) throw item ? taken() : notYours();
      if (sharedCopy && (!item || !copied)) return answer(kind, sharedCopy);
      if (sharedCopy && item && copied) {
        const next = carriedOver(sharedCopy, judged(copied, doc), judged(item, doc));
        if (!next) throw taken();
        const carried = { ...next, rev: sharedCopy.rev + 1, editTimestamp: timeOf(ctx) };
        writeAnnotation(doc, kind, carried, 'shared', 'item');
        return answer(kind, carried);
      }
      if (!item) throw notYours();
      refuseTooMany(doc, who, kind, false);
      const revealed = {
        ...judged(item, doc),
        ...stamp(ctx, who, itemId, false),
        rev: item.rev + 1,
      };
      writeAnnotation(doc, kind, revealed, 'shared', 'item');
      return answer(kind, revealed);
    };
    const shown = await publishing(item, (effects) =>
      writeRoom(ctx, { place: all, origin: `reveal ${kind}`, who, first: true, effects, write }),
    );
    if (!privateCopy) return shown;
    const done = await writeRoom<{ [k in K]: AnnotationOf[K] } | null>(ctx, {
      place: mine,
      origin: `reveal ${kind}`,
      who,
      write: (doc) => {
        const now = readAnnotation(doc, kind, itemId, 'private');
        if (now && JSON.stringify(now) !== JSON.stringify(privateCopy)) return null;
        dropAnnotation(doc, kind, itemId, 'private', 'item');
        return shown;
      },
    });
    if (done) return done;
    before = item;
  }
  throw new Problem('UNAVAILABLE', { retryAfter: 1 });
}
