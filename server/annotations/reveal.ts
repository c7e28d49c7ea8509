import type { Comment, Outcome } from '#shared/meetings/annotations.ts';
import type { SummaryItem } from '#shared/meetings/summary.ts';
import { invalid } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import { revealComment } from './comments.ts';
import { revealOutcome } from './outcomes.ts';
import { callerOf } from './rooms.ts';
import { revealSummary } from './summary.ts';

/** Publishes a private annotation of any kind. */
export async function reveal(
  ctx: Ctx,
  { type, ...named }: { id: string; itemId: string; type: string },
): Promise<{ outcome: Outcome } | { comment: Comment } | { summary: SummaryItem }> {
  const who = await callerOf(ctx, 'POST /api/meetings/:id/outcomes/:itemId/reveal/:type', named.id);
  if (type === 'outcome') return revealOutcome(ctx, who, named);
  if (type === 'comment') return revealComment(ctx, who, named);
  // A layer has no summary.
  if (type === 'summary' && who.layerId === null) return revealSummary(ctx, who, named);
  throw invalid({ field: 'type', code: 'unknown' });
}
