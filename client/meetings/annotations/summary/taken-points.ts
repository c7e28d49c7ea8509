import { atom } from 'jotai';
import type * as Y from 'yjs';

import { readSummary, takenSummary, type SummaryItem } from '#shared/meetings/summary.ts';
import { isWrittenIn } from '#sync/client/passages.ts';

import { reportOnlyHereAtom } from '../../../store.ts';

/** A point of the summary that somebody else took away with words in it that were written on this page. */
interface TakenPoint extends SummaryItem {
  meeting: string;
}

const taken = atom<readonly TakenPoint[]>([]);

/** They outlast the page of the recording, and whoever closes the browser over them is asked first. */
export const takenPointsAtom = atom(
  (get) => get(taken),
  (get, set, change: (before: readonly TakenPoint[]) => readonly TakenPoint[]) => {
    const next = change(get(taken));
    set(taken, next);
    set(reportOnlyHereAtom, 'points', next.length);
  },
);

interface Told {
  taken(point: SummaryItem): void;
  /** It stands again, as it is now. */
  back(point: SummaryItem): void;
}

/**
 * To be begun as soon as there is the document: what this page has written since is its own, and what it wrote on an
 * earlier visit as long as no server has it. Older words somebody has seen who deletes them.
 */
export function watchPoints(doc: Y.Doc, unsent: () => readonly Uint8Array[], told: Told): () => void {
  let since = Number.POSITIVE_INFINITY;
  const wrote = ({ local, beforeState, afterState }: Y.Transaction) => {
    const [before = 0, after = 0] = [beforeState.get(doc.clientID), afterState.get(doc.clientID)];
    if (local && after > before) since = Math.min(since, before);
  };
  const points = doc.getMap('summary');
  const heard = (event: Y.YMapEvent<unknown>) => {
    const { local } = event.transaction;
    const waiting = local ? [] : unsent();
    const isOwn = (item: Y.Item): boolean =>
      (item.id.client === doc.clientID && item.id.clock + item.length > since) || isWrittenIn(waiting, item);
    for (const id of event.keysChanged as Set<string>) {
      const now = readSummary(doc, 'shared').find((one) => one.id === id);
      const gone = local || now ? null : takenSummary(event, id, isOwn);
      if (now) told.back(now);
      else if (gone) told.taken(gone);
    }
  };
  doc.on('afterTransaction', wrote);
  points.observe(heard);
  return () => {
    doc.off('afterTransaction', wrote);
    points.unobserve(heard);
  };
}
