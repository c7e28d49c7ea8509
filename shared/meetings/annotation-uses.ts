import type { Comment } from './annotations.ts';
import type { SummaryItem } from './summary.ts';

/** Where a link leads to an outcome. */
export interface Use {
  kind: 'comment' | 'summary';
  id: string;
  /** Seconds; a point of the summary stands at no time. */
  start: number | null;
}

/**
 * Where an outcome is spoken of by a link: in what was said, and in the summary. While it is, it is not deleted, or the
 * link would lead nowhere.
 */
export function usesOf(outcomeId: string, comments: Iterable<Comment>, summary: Iterable<SummaryItem>): Use[] {
  const link = new RegExp(String.raw`[?&]outcome=${outcomeId.replaceAll(/[^\w-]/g, '')}(?![\w-])`);
  const uses: Use[] = [];
  for (const { id, start, text } of comments) if (link.test(text)) uses.push({ kind: 'comment', id, start });
  for (const { id, text } of summary) if (link.test(text)) uses.push({ kind: 'summary', id, start: null });
  return uses;
}
