import { eq } from 'drizzle-orm';
import { layers } from '#db/schema/reviews.ts';
import type { GradeChange } from '#shared/meetings/annotation-inputs.ts';
import { mayAdd } from '#shared/meetings/annotation-rules.ts';
import {
  changedGrade,
  gradeKey,
  longestGradeWords,
  noGrade,
  readGrades,
  writeGrade,
  type SheetGrade,
} from '#shared/meetings/grades.ts';
import { isKnownGrade, typeOf } from '#shared/meetings/outcome-types.ts';
import { invalid, Problem } from '#shared/problems.ts';
import type { LayerKind } from '#shared/reviews/grants.ts';
import type { Ctx } from '../context.ts';
import { learnHere } from '../outcome-models/named.ts';
import { refusalOf } from '../rooms/access.ts';
import { idOf } from './annotations.ts';
import { callerOf, readRoom, writeRoom } from './rooms.ts';

/** Layers with a sheet. In a shared one, each person has their own grades; in a discussion, all agree on one. */
const withSheet: ReadonlySet<LayerKind> = new Set(['own', 'shared', 'discussion']);

/** Sets the grade of a type in a layer's sheet, or the words that explain it. */
export async function setGrade(
  ctx: Ctx,
  { id, type, change }: { id: string; type: string; change: GradeChange },
): Promise<{ grade: SheetGrade }> {
  const caller = await callerOf(ctx, 'PUT /api/meetings/:id/grades/:type', id);
  const { layerId } = caller;
  const by = idOf(caller);
  const [layer] =
    layerId === null ? [] : await ctx.db.orm.select({ kind: layers.kind }).from(layers).where(eq(layers.id, layerId));
  if (layerId === null || !layer || !withSheet.has(layer.kind)) throw new Problem('NOT_FOUND');
  await learnHere(ctx, caller, [type], 'type');
  const key = gradeKey(type, layer.kind === 'shared' ? by : null);
  const place = { part: 'layer', of: layerId } as const;
  const stored = await readRoom(ctx, caller.meetingId, place, (doc) => readGrades(doc).get(key) ?? null);
  judge(type, change, stored);
  return writeRoom(ctx, {
    place,
    origin: 'grade',
    who: caller,
    write: (doc, who) => {
      if (!mayAdd({ ...who, shared: true }, false)) throw refusalOf(who.verb);
      const now = readGrades(doc).get(key) ?? noGrade(key, by);
      const next = { ...changedGrade(now, change, by), rev: now.rev + 1 };
      // Concurrent edits merge, so that the merged words may exceed the limit.
      if (next.words.length > longestGradeWords) throw invalid({ field: 'words', code: 'too_long' });
      writeGrade(doc, next, 'grade');
      return { grade: next };
    },
  });
}

/** Checks that the type has this grade, unless it is stored in the sheet already. */
function judge(type: string, { grade }: GradeChange, stored: SheetGrade | null): void {
  const found = typeOf(type);
  if (!found || (found.grades.length === 0 && stored === null)) throw invalid({ field: 'type', code: 'unknown' });
  if (grade !== undefined && grade !== stored?.grade && !isKnownGrade(found, grade))
    throw invalid({ field: 'grade', code: 'invalid' });
}
