import { useAtomValue } from 'jotai';

import type { DraftKind, DraftView } from '#shared/ai/drafts.ts';
import { addTimed, removeTimed } from '#shared/meetings/entries.ts';
import { lastOrder, mostSummary, putBackSummary, readSummary, removeSummary } from '#shared/meetings/summary.ts';

import { annotationsAtom } from '../meetings/annotations/base/open-annotations.ts';
import { isOpen } from '../meetings/live/room.ts';
import { useDocument } from '../meetings/open/meeting-context.ts';
import { useStep } from '../meetings/open/open-text.ts';

interface Taking {
  /** Writes an entry under its id, so that it is never written twice or over; otherwise says why not. */
  take: (draft: DraftView, text: string) => 'full' | 'closed' | null;
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
        if (!editable) return 'closed';
        if (!doc.getMap('toc').has(id))
          step((by) => addTimed(doc, 'toc', { id, start: quotes[0]?.start ?? 0, title }, by));
        return null;
      },
      takeBack: (id) => {
        if (isOpen(doc)) step((by) => removeTimed(doc, 'toc', id, by));
      },
    };
  return {
    take: ({ id }, text) => {
      const own = notes?.read();
      if (!own?.ready || !own.editable) return 'closed';
      if (readSummary(own.doc, 'private').length >= mostSummary) return 'full';
      putBackSummary(own.doc, 'private', { id, order: lastOrder(own.doc, 'private'), text }, 'summary');
      return null;
    },
    takeBack: (id) => {
      const own = notes?.read();
      if (own?.ready && isOpen(own.doc)) removeSummary(own.doc, 'private', id, 'summary');
    },
  };
}
