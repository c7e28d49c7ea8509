import type { AccessById } from '#db/access.ts';
import {
  inOrder,
  readAnnotations,
  rootOf,
  type Comment,
  type AnnotationKind,
  type AnnotationOf,
  type Outcome,
} from '#shared/meetings/annotations.ts';
import { readGrades, type SheetGrade } from '#shared/meetings/grades.ts';
import { setOfType } from '#shared/meetings/own-types.ts';
import type { Part } from '#shared/meetings/parts.ts';
import type { Ctx } from '../context.ts';
import { learnTypes } from '../outcome-models/learn.ts';
import { setsAt } from '../outcome-models/named.ts';
import { versionOf } from '../rooms/version.ts';
import { onWire, type WireOutcome } from './wire.ts';

/** State of a room with annotations this caller can read; rooms never written to have none. */
interface AnnotationsState {
  part: Part;
  generation: number;
  base: number;
  seq: number;
  mends: number;
}
export type AnnotationsMark = readonly AnnotationsState[];

/** Rises with every stored change of the outcomes and comments that all readers share, and with no other. */
export const annotationsVersionOf = (mark: AnnotationsMark): number =>
  mark.filter(({ part }) => part !== 'notes').reduce((sum, room) => sum + versionOf(room), 0);

/** `layerId`: that of the layer to read in the place of the meeting's own annotations. */
type AnnotatedPlace = Pick<AccessById, 'meetingId' | 'layerId'>;

export async function annotationsMark(ctx: Ctx, { meetingId, layerId }: AnnotatedPlace): Promise<AnnotationsMark> {
  const rows = await ctx.db.ask(
    (sql) => sql<(Omit<AnnotationsState, 'base' | 'seq'> & { base: string; seq: string })[]>`
      select part, generation, base, seq, mends from rooms
      where meeting_id = ${meetingId} and seq > 0
        and (${layerId === null ? sql`part in ('outcomes', 'comments')` : sql`layer_id = ${layerId}`} or (part = 'notes' and owner_id = ${ctx.person?.id ?? null}))
      order by part`,
  );
  return rows.map((row) => ({ ...row, base: Number(row.base), seq: Number(row.seq) }));
}

/** Annotations of one kind that all who read the meeting or layer share. */
export async function sharedIn<K extends AnnotationKind>(
  { documents }: Pick<Ctx, 'documents'>,
  { meetingId, layerId }: AnnotatedPlace,
  mark: AnnotationsMark,
  kind: K,
): Promise<AnnotationOf[K][]> {
  const part: Part = layerId === null ? rootOf[kind] : 'layer';
  if (!mark.some((one) => one.part === part)) return [];
  return documents.inRoom(meetingId, (room) => room.read((doc) => readAnnotations(doc, kind, 'shared')), {
    part,
    of: layerId,
  });
}

/** Annotations of one kind that this caller can read, as they are stored. */
export async function readableIn<K extends AnnotationKind>(
  ctx: Ctx,
  place: AnnotatedPlace,
  mark: AnnotationsMark,
  kind: K,
): Promise<AnnotationOf[K][]> {
  const ofCaller = async (): Promise<AnnotationOf[K][]> => {
    if (!mark.some((one) => one.part === 'notes')) return [];
    return ctx.documents.inRoom(place.meetingId, (room) => room.read((doc) => readAnnotations(doc, kind, 'private')), {
      part: 'notes',
      of: ctx.person?.id ?? null,
    });
  };
  const [shared, privateOnes] = await Promise.all([sharedIn(ctx, place, mark, kind), ofCaller()]);
  // An annotation being published may still be in the private room.
  const ids = new Set(shared.map(({ id }) => id));
  return [...shared, ...privateOnes.filter(({ id }) => !ids.has(id))].sort(inOrder);
}

/** Annotations of a meeting or layer that this caller can read: all shared ones and their own private ones. */
export async function annotationsIn(
  ctx: Ctx,
  place: AnnotatedPlace,
  mark: AnnotationsMark,
): Promise<{ comments: Comment[]; outcomes: WireOutcome[]; grades: SheetGrade[] }> {
  const [comments, found, grades] = await Promise.all([
    readableIn(ctx, place, mark, 'comment'),
    readableIn(ctx, place, mark, 'outcome'),
    gradesIn(ctx, place, mark),
  ]);
  const outcomes = await withoutForeignTypes(ctx, place, found);
  await learnTypes(
    ctx.db.orm,
    [...outcomes, ...grades].map(({ type }) => type),
  );
  return { comments, outcomes: outcomes.map(onWire), grades };
}

/**
 * Leaves out private outcomes of sets that are not of this recording or assessment: a private room takes what its owner
 * sends, and the id of a set alone shows nobody its words.
 */
async function withoutForeignTypes(
  ctx: Pick<Ctx, 'db'>,
  place: AnnotatedPlace,
  outcomes: readonly Outcome[],
): Promise<readonly Outcome[]> {
  if (!outcomes.some((one) => one.private && setOfType(one.type) !== null)) return outcomes;
  const { sets } = await setsAt(ctx, place);
  return outcomes.filter((one) => {
    const set = setOfType(one.type);
    return !one.private || set === null || sets.some(({ id }) => id === set);
  });
}

/** Grades of a layer's sheet; a meeting's own annotations have none. */
export async function gradesIn(
  { documents }: Pick<Ctx, 'documents'>,
  { meetingId, layerId }: AnnotatedPlace,
  mark: AnnotationsMark,
): Promise<SheetGrade[]> {
  if (layerId === null || !mark.some(({ part }) => part === 'layer')) return [];
  return documents.inRoom(meetingId, (room) => room.read((doc) => [...readGrades(doc).values()]), {
    part: 'layer',
    of: layerId,
  });
}
