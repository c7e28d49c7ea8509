import { useAtomValue } from 'jotai';

import type { DraftKind, DraftView } from '#shared/ai/drafts.ts';
import { addTimed, removeTimed } from '#shared/meetings/entries.ts';
import { lastOrder, mostSummary, putBackSummary, readSummary, removeSummary } from '#shared/meetings/summary.ts';

import { annotationsAtom } from '../meetings/annotations/base/open-annotations.ts';
import { isOpen } from '../meetings/live/room.ts';
import { useDocument } from '../meetings/open/meeting-context.ts';
import { useStep } from '../meetings/open/open-text.ts';

interface Taking {
  /** Writes an entry under its id, so that it is never written twice or over; false where it cannot be written. */
  take: (draft: DraftView, text: string) => boolean;
  takeBack: (id: string) => void;
}

/** Writes what the person takes of a draft: points into their own room, chapters into the transcript. */
export function useTaking(kind: DraftKind): Taking {
  const { doc, editable } = useDocument();
  const step = useStep();
  const notes = useAtomValue(annotationsAtom)?.notes ?? null;
  if (kind === 'chapters')
    return {
      take: ({ id, quotes }, title) => {
        if (!editable) return false;
        if (!doc.getMap('toc').has(id))
          step((by) => addTimed(doc, 'toc', { id, start: quotes[0]?.start ?? 0, title }, by));
        return true;
      },
      takeBack: (id) => {
        if (isOpen(doc)) step((by) => removeTimed(doc, 'toc', id, by));
      },
    };
  return {
    take: ({ id }, text) => {
      const own = notes?.read();
      if (!own?.ready || !own.editable || readSummary(own.doc, 'private').length >= mostSummary) return false;
      putBackSummary(own.doc, 'private', { id, order: lastOrder(own.doc, 'private'), text }, 'summary');
      return true;
    },
    takeBack: (id) => {
      const own = notes?.read();
      if (own?.ready && isOpen(own.doc)) removeSummary(own.doc, 'private', id, 'summary');
    },
  };
}
