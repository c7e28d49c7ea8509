import type { Hit } from '#shared/found.ts';

import { peerPath } from '../paths.ts';

type Place = Pick<Hit, 'kind' | 'item' | 'start' | 'words' | 'layer'>;

/** Address that opens a hit: in the review whose layer it stands in, else on this page of the recording. */
export function placeOf(id: string, page: string, { kind, item, start, words, layer }: Place): string {
  const query = new URLSearchParams(layer ? { layer: layer.id } : '');
  if ((kind === 'comment' || kind === 'outcome' || kind === 'grade') && item !== null) query.set(kind, item);
  else if (start !== null) {
    query.set('t', String(Math.round(start * 1000)));
    if (kind === 'words') query.set('find', words);
  }
  return `${layer ? peerPath(id, layer.reviewId) : page}?${query}`;
}
