import { eq } from 'drizzle-orm';
import { aiSuggestions } from '#db/schema/ai.ts';
import type { SuggestionView } from '#shared/ai/suggestions.ts';
import { placesOf, saidIn, type Anchored } from '#shared/meetings/anchors.ts';
import { readWords } from '#shared/meetings/words.ts';
import type { House } from '../context.ts';

// Suggestions as they stand in the transcript now, for who may read them: callers have asked before.

export type SuggestionRow = typeof aiSuggestions.$inferSelect;

/** All that a machine's layer holds, whatever anybody decided; but for suggestions whose words were deleted. */
export async function machineOutcomes(
  ctx: Pick<House, 'db' | 'documents'>,
  meetingId: string,
  machineLayer: string,
): Promise<SuggestionView[]> {
  const rows = await ctx.db.orm.select().from(aiSuggestions).where(eq(aiSuggestions.layerId, machineLayer));
  return rows.length === 0 ? [] : suggestionViews(ctx, meetingId, rows);
}

export async function suggestionViews(
  ctx: Pick<House, 'documents'>,
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
export const placesNow = (
  ctx: Pick<House, 'documents'>,
  meetingId: string,
  all: readonly SuggestionRow[],
): Promise<(Anchored | null)[]> =>
  ctx.documents.read(meetingId, (doc, { generation }) => {
    const reading = readWords(doc);
    return placesOf(doc, reading, generation, all).map((place, nth) => {
      if (!place || place.by === 'time') return null;
      return { anchor: all[nth]?.anchor ?? null, ...saidIn(reading, place.from, place.to) };
    });
  });
