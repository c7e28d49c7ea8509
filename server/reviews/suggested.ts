import { eq } from 'drizzle-orm';
import { aiSuggestions } from '#db/schema/ai.ts';
import type { SuggestionView } from '#shared/ai/suggestions.ts';
import type { Anchored } from '#shared/meetings/anchors.ts';
import type { Ctx } from '../context.ts';
import { askerOf } from '../rooms/whole-documents.ts';

// Suggestions as they stand in the transcript now, for who may read them: callers have asked before.

type Asking = Pick<Ctx, 'documents' | 'person' | 'address' | 'gone'>;

export type SuggestionRow = typeof aiSuggestions.$inferSelect;

/** All that a machine's layer holds, whatever anybody decided; but for suggestions whose words were deleted. */
export async function machineOutcomes(
  ctx: Asking & Pick<Ctx, 'db'>,
  meetingId: string,
  machineLayer: string,
): Promise<SuggestionView[]> {
  const rows = await ctx.db.orm.select().from(aiSuggestions).where(eq(aiSuggestions.layerId, machineLayer));
  return rows.length === 0 ? [] : suggestionViews(ctx, meetingId, rows);
}

export async function suggestionViews(
  ctx: Asking,
  meetingId: string,
  rows: readonly SuggestionRow[],
): Promise<SuggestionView[]> {
  const places = await placesNow(ctx, meetingId, rows);
  return rows
    .flatMap(({ id, type, choices, text, reason, model, createdAt }, nth): SuggestionView[] => {
      const place = places[nth];
      if (!place) return [];
      const at = createdAt.toISOString();
      return [
        {
          ...{ id, rev: 1, ...place, author: { id: '', kind: 'machine', name: model }, private: false, createdAt: at },
          ...{ editTimestamp: null, url: null, type, typeChoices: choices, text, reason, automatic: true },
        },
      ];
    })
    .sort((one, other) => one.start - other.start || one.createdAt.localeCompare(other.createdAt));
}

/** Present places of suggestions, and their words; null for those that are gone. */
export const placesNow = async (
  ctx: Asking,
  meetingId: string,
  all: readonly SuggestionRow[],
): Promise<(Anchored | null)[]> => {
  const places = all.map(({ anchor, start, end, quote }) => ({ anchor, start, end, quote }));
  return (await ctx.documents.answer(meetingId, askerOf(ctx), 'suggested', places)).answer;
};
