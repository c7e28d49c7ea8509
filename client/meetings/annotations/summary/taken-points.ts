import { atom } from 'jotai';
import type * as Y from 'yjs';

import { readSummary, takenSummary, type SummaryItem } from '#shared/meetings/summary.ts';
import { isWrittenIn } from '#sync/client/passages.ts';

import { reportOnlyHereAtom } from '../../../store.ts';
import type { UnsentSource } from '../../base/unsent-source.ts';

/** Point of the summary that another person deleted although it had words written on this page. */
interface TakenPoint extends SummaryItem {
  meeting: string;
}

const taken = atom<readonly TakenPoint[]>([]);

/** Outlasts the page of the recording; closing the browser asks for confirmation first. */
export const takenPointsAtom = atom(
  (get) => get(taken),
  (get, set, change: (before: readonly TakenPoint[]) => readonly TakenPoint[]) => {
    const next = change(get(taken));
    set(taken, next);
    set(reportOnlyHereAtom, 'points', next.length);
  },
);

interface PointListener {
  taken(point: SummaryItem): void;
  /** The point exists again, in its current form. */
  back(point: SummaryItem): void;
}

/**
 * Watches from the opening of the document: own words are those written since, and those of earlier visits that the
 * server lacks. Older words were visible to the person who deleted them.
 */
export function watchPoints(doc: Y.Doc, unsent: () => readonly Uint8Array[], listener: PointListener): () => void {
  let since = Number.POSITIVE_INFINITY;
  const onTransaction = ({ local, beforeState, afterState }: Y.Transaction) => {
    const [before = 0, after = 0] = [beforeState.get(doc.clientID), afterState.get(doc.clientID)];
    if (local && after > before) since = Math.min(since, before);
  };
  const points = doc.getMap('summary');
  const onPoints = (event: Y.YMapEvent<unknown>) => {
    const { local } = event.transaction;
    const waiting = local ? [] : unsent();
    const isOwn = (item: Y.Item): boolean =>
      (item.id.client === doc.clientID && item.id.clock + item.length > since) || isWrittenIn(waiting, item);
    for (const id of event.keysChanged as Set<string>) {
      const now = readSummary(doc, 'shared').find((one) => one.id === id);
      const gone = local || now ? null : takenSummary(event, id, isOwn);
      if (now) listener.back(now);
      else if (gone) listener.taken(gone);
    }
  };
  doc.on('afterTransaction', onTransaction);
  points.observe(onPoints);
  return () => {
    doc.off('afterTransaction', onTransaction);
    points.unobserve(onPoints);
  };
}

export const unsentPoints: UnsentSource = {
  of: 'point',
  inMeeting: atom((get) => (meeting: string) => get(taken).filter((point) => point.meeting === meeting)),
  discard: atom(null, (_, set, meeting: string) => {
    set(takenPointsAtom, (all) => all.filter((point) => point.meeting !== meeting));
  }),
};
