import type { Comment, Outcome } from '#shared/meetings/items.ts';
import type { SummaryItem } from '#shared/meetings/summary.ts';
import { invalid } from '#shared/problems.ts';
import type { Ctx } from '../context.ts';
import { revealComment } from './comments.ts';
import { revealOutcome } from './outcomes.ts';
import { asking } from './rooms.ts';
import { revealSummary } from './summary.ts';

/** Shows everybody what one has kept to oneself. */
export async function reveal(
  ctx: Ctx,
  { type, ...named }: { id: string; itemId: string; type: string },
): Promise<{ outcome: Outcome } | { comment: Comment } | { summary: SummaryItem }> {
  if (type === 'outcome') return revealOutcome(ctx, named);
  if (type === 'comment') return revealComment(ctx, named);
  if (type === 'summary') return revealSummary(ctx, named);
  // Who may not read the meeting is not told what there is to it.
  await asking(ctx, named.id);
  throw invalid({ field: 'type', code: 'unknown' });
}
