import type * as Y from 'yjs';
import { identitiesOf } from '#shared/meetings/identities.ts';
import { textOf } from '#shared/meetings/transcript.ts';
import type { Hit } from '#shared/meetings/search.ts';

/** Hit with the id of its first character, which identifies it after the text moves. */
export interface KnownHit extends Hit {
  key: string;
}

/** Adds the ids in one pass; expects the hits in order. */
export function known(doc: Y.Doc, hits: readonly Hit[]): KnownHit[] {
  const list: KnownHit[] = [];
  const identities = identitiesOf(doc);
  let item = textOf(doc)._start;
  let at = 0;
  for (const hit of hits) {
    while (item !== null && (item.deleted || !item.countable || at + item.length <= hit.at)) {
      if (!item.deleted && item.countable) at += item.length;
      item = item.right;
    }
    list.push({ ...hit, key: item ? identities.of(item.id.client, item.id.clock + hit.at - at).join(':') : '' });
  }
  return list;
}

/** Whether both lists have the same hits with the same words, at any position. */
export const isSame = (one: readonly KnownHit[], other: readonly KnownHit[]): boolean =>
  one.length === other.length && one.every(({ key, text }, i) => other[i]?.key === key && other[i]?.text === text);
