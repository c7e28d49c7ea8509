import type * as Y from 'yjs';
import { anchorAt, saidIn, stretchAtTime, stretchesOf, type Anchor, type Anchored } from '#shared/meetings/anchors.ts';
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
import { readWords, type Reading } from '#shared/meetings/words.ts';
import { invalid, Problem } from '#shared/problems.ts';
import { claimAttachment } from '../attachments/attachments.ts';
import { signedIn, type Ctx } from '../context.ts';
import { placeOf, readRoom, writeRoom, type Caller } from './rooms.ts';
import { onWire } from './wire.ts';

/** Of a kind, in one room. */
const mostAnnotations = 5000;

export const noSuchAnnotation = (): Problem => new Problem('NOT_FOUND');

export function authorOf(ctx: Ctx): Author {
  const { person } = signedIn(ctx);
  return { id: person.id, kind: 'user', name: `${person.firstName} ${person.lastName}`.trim() };
}

interface GivenPlace {
  start: number;
  end: number;
  quote?: string | undefined;
  anchor?: Anchor | null | undefined;
}

/** Where something is to hang: at the characters it names, or at the words said between its times. */
export async function anchored(ctx: Ctx, id: string, given: GivenPlace): Promise<Anchored> {
  const [place] = await allAnchored(ctx, id, [given]);
  if (!place) throw new Error('no place');
  return place;
}

/** The same for many, in one reading of the text. */
export const allAnchored = (ctx: Ctx, id: string, all: readonly GivenPlace[]): Promise<Anchored[]> =>
  ctx.documents.read(id, (doc, { generation }) => {
    // Those of another document mean nothing.
    const own = all.map(({ anchor = null }) => (anchor?.g === generation ? anchor : null));
    const stretches = stretchesOf(
      doc,
      own.filter((anchor) => anchor !== null),
    );
    let known: Reading | null = null;
    const words = () => (known ??= readWords(doc));
    let next = 0;
    return all.map(({ start, end, quote, anchor = null }, nth): Anchored => {
      const kept = own[nth] ?? null;
      const named = kept ? (stretches[next++] ?? null) : null;
      // Characters that are still on their way here keep their names.
      if (anchor && (named || quote !== undefined)) {
        const said = quote ?? (named ? saidIn(words(), named.from, named.to).quote : '');
        return { anchor: kept, start, end, quote: said };
      }
      const stretch = stretchAtTime(words(), start * 1000, end * 1000);
      if (!stretch) return { anchor: null, start, end, quote: quote ?? '' };
      const { from, to } = stretch;
      return {
        anchor: anchorAt(doc, generation, from, to),
        start,
        end,
        quote: quote ?? saidIn(words(), from, to).quote,
      };
    });
  });

/** What the server says of a new item. */
export const stamp = (ctx: Ctx, id: string | undefined, own: boolean): Omit<Annotation, keyof Anchored> => ({
  id: id ?? newId(),
  rev: 1,
  author: authorOf(ctx),
  private: own,
  createdAt: timeOf(ctx),
  editTimestamp: null,
});

/** When somebody does something, by the server's clock. */
export const timeOf = (ctx: Ctx): string => ctx.clock.now().toISOString();

export const visibilityOf = (own: boolean) => (own ? 'private' : 'shared');

export async function addAnnotation<K extends AnnotationKind>(
  ctx: Ctx,
  meetingId: string,
  who: Caller,
  kind: K,
  item: AnnotationOf[K],
  look: (doc: Y.Doc) => AnnotationOf[K] = () => item,
): Promise<{ [k in K]: AnnotationOf[K] }> {
  const own = item.private;
  return writeRoom(ctx, {
    id: meetingId,
    place: placeOf(ctx, kind, own),
    origin: `add ${kind}`,
    who,
    write: (doc) => {
      // Also where it has been deleted since: a request may be asked again after its answer was forgotten.
      if (everStood(doc, kind, item.id, visibilityOf(own)))
        throw new Problem('CONFLICT', { errors: [{ field: 'id', code: 'taken' }] });
      if (readAnnotations(doc, kind, visibilityOf(own)).length >= mostAnnotations)
        throw invalid({ field: kind, code: 'too_many' });
      const made = look(doc);
      writeAnnotation(doc, kind, made, visibilityOf(own), 'item');
      return answer(kind, made);
    },
  });
}

export const answer = <K extends AnnotationKind>(kind: K, item: AnnotationOf[K]): { [k in K]: AnnotationOf[K] } =>
  ({ [kind]: 'type' in item ? onWire(item) : item }) as { [k in K]: AnnotationOf[K] };

/** Whether somebody's item of that name is their own private one, or one of all; where it is neither, there is none. */
export async function isOwn(ctx: Ctx, meetingId: string, kind: AnnotationKind, itemId: string): Promise<boolean> {
  return (await layersOf(ctx, meetingId, kind, [itemId])).has(true);
}

/** The same for many: the two there are, or the one all of them are in. */
export async function layersOf(
  ctx: Ctx,
  meetingId: string,
  kind: AnnotationKind,
  ids: readonly string[],
): Promise<ReadonlySet<boolean>> {
  const there = (own: boolean) =>
    readRoom(
      ctx,
      meetingId,
      placeOf(ctx, kind, own),
      (doc) => new Set(ids.filter((itemId) => readAnnotation(doc, kind, itemId, visibilityOf(own)) !== null)),
    );
  // In this order: what is revealed stands in both rooms for a moment, and then in the shared one alone.
  const alone = await there(true);
  const shared = await there(false);
  if (!ids.every((itemId) => shared.has(itemId) || alone.has(itemId))) throw noSuchAnnotation();
  return new Set(ids.map((itemId) => !shared.has(itemId)));
}

export async function changeAnnotation<K extends AnnotationKind>(
  ctx: Ctx,
  who: Caller,
  { id, itemId }: { id: string; itemId: string },
  kind: K,
  change: (item: AnnotationOf[K], who: Caller) => AnnotationOf[K],
): Promise<{ [k in K]: AnnotationOf[K] }> {
  const own = await isOwn(ctx, id, kind, itemId);
  return writeRoom(ctx, {
    id,
    place: placeOf(ctx, kind, own),
    origin: `change ${kind}`,
    who,
    write: (doc, now) => {
      const item = readAnnotation(doc, kind, itemId, visibilityOf(own));
      if (!item) throw noSuchAnnotation();
      const changed = change(item, now);
      writeAnnotation(doc, kind, changed, visibilityOf(own), 'item');
      return answer(kind, changed);
    },
  });
}

/** Whoever writes in their own item while it is revealed does so now and then; what never pauses is a program. */
const mostReveals = 10;

/**
 * Shows a private item to everybody: it is put where all read it, then taken from where only its author did. Cut between
 * the two it stands in both, and is shown once; asked again, it goes on. What its author has written in their own
 * meanwhile is carried over, before that is taken away.
 */
export async function revealAnnotation<K extends AnnotationKind>(
  ctx: Ctx,
  who: Caller,
  { id, itemId }: { id: string; itemId: string },
  kind: K,
  /** Makes it what the server would have taken: in one's own room anything may stand. */
  judged: (item: AnnotationOf[K], shared: Y.Doc) => AnnotationOf[K],
): Promise<{ [k in K]: AnnotationOf[K] }> {
  const [mine, all] = [placeOf(ctx, kind, true), placeOf(ctx, kind, false)];
  // Whose it is, and whether there is one, nobody else is told.
  const notYours = () => new Problem('NO_PERM', { message: `No permissions to publish ${kind}` });
  let before: AnnotationOf[K] | null = null;
  for (let turns = 0; turns < mostReveals; turns += 1) {
    const own = await readRoom(ctx, id, mine, (doc) => readAnnotation(doc, kind, itemId, 'private'));
    const item = own && { ...own, author: authorOf(ctx) };
    if (item && !mayReveal(who, item)) throw notYours();
    if (item && item.url !== null) await claimAttachment(ctx, { meetingId: id, kind, itemId }, item.url);
    const copied = before;
    const shown = await writeRoom(ctx, {
      id,
      place: all,
      origin: `reveal ${kind}`,
      who,
      first: true,
      write: (doc, now) => {
        if (item && !mayReveal(now, item)) throw notYours();
        const there = readAnnotation(doc, kind, itemId, 'shared');
        const taken = () => new Problem('CONFLICT', { errors: [{ field: 'id', code: 'taken' }] });
        if (there && there.author.id !== who.userId) throw item ? taken() : notYours();
        if (there && (!item || !copied)) return answer(kind, there);
        if (there && item && copied) {
          const next = carriedOver(there, judged(copied, doc), judged(item, doc));
          if (!next) throw taken();
          const carried = { ...next, rev: there.rev + 1, editTimestamp: timeOf(ctx) };
          writeAnnotation(doc, kind, carried, 'shared', 'item');
          return answer(kind, carried);
        }
        if (!item) throw notYours();
        if (readAnnotations(doc, kind, 'shared').length >= mostAnnotations)
          throw invalid({ field: kind, code: 'too_many' });
        const revealed = {
          ...judged(item, doc),
          ...stamp(ctx, itemId, false),
          rev: item.rev + 1,
        };
        writeAnnotation(doc, kind, revealed, 'shared', 'item');
        return answer(kind, revealed);
      },
    });
    if (!own) return shown;
    const done = await writeRoom<{ [k in K]: AnnotationOf[K] } | null>(ctx, {
      id,
      place: mine,
      origin: `reveal ${kind}`,
      who,
      write: (doc) => {
        const now = readAnnotation(doc, kind, itemId, 'private');
        if (now && JSON.stringify(now) !== JSON.stringify(own)) return null;
        dropAnnotation(doc, kind, itemId, 'private', 'item');
        return shown;
      },
    });
    if (done) return done;
    before = item;
  }
  throw new Problem('UNAVAILABLE', { retryAfter: 1 });
}
