import type { Hit } from '#shared/found.ts';

/** Address that opens a recording's page at a hit. */
export function placeOf(
  page: string,
  { kind, item, start, words }: Pick<Hit, 'kind' | 'item' | 'start' | 'words'>,
): string {
  const query = new URLSearchParams();
  if ((kind === 'comment' || kind === 'outcome') && item !== null) query.set(kind, item);
  else if (start !== null) {
    query.set('t', String(Math.round(start * 1000)));
    if (kind === 'words') query.set('find', words);
  }
  return `${page}?${query}`;
}
