import type { Comment } from './annotations.ts';
import type { SummaryItem } from './summary.ts';

/** Link to an outcome, by where it was found. */
export interface Use {
  kind: 'comment' | 'summary';
  id: string;
  /** Seconds; null for summary points. */
  start: number | null;
}

/**
 * Links to an outcome in comments and in the summary. An outcome in use cannot be deleted, or its links would break.
 */
export function usesOf(outcomeId: string, comments: Iterable<Comment>, summary: Iterable<SummaryItem>): Use[] {
  const link = new RegExp(String.raw`[?&]outcome=${outcomeId.replaceAll(/[^\w-]/g, '')}(?![\w-])`);
  const uses: Use[] = [];
  for (const { id, start, text } of comments) if (link.test(text)) uses.push({ kind: 'comment', id, start });
  for (const { id, text } of summary) if (link.test(text)) uses.push({ kind: 'summary', id, start: null });
  return uses;
}
