import { useAtomValue } from 'jotai';

import type { DraftKind, DraftView } from '#shared/ai/drafts.ts';
import { addTimed, readTimed, removeTimed, timedFields } from '#shared/meetings/entries.ts';
import {
  lastOrder,
  longestSummary,
  mostSummary,
  putBackSummary,
  readSummary,
  removeSummary,
} from '#shared/meetings/summary.ts';

import { annotationsAtom } from '../meetings/annotations/base/open-annotations.ts';
import { isOpen } from '../meetings/live/room.ts';
import { useDocument } from '../meetings/open/meeting-context.ts';
import { useStep } from '../meetings/open/open-text.ts';

interface Taking {
  /** Writes an entry under its id, so that it is never written twice or over; otherwise says why not. */
  take: (draft: DraftView, text: string) => 'full' | 'closed' | null;
  /** Removes the entry, unless it was edited or published since; otherwise says why not. */
  takeBack: (draft: DraftView, text: string) => 'edited' | 'closed' | null;
}

/** Writes what the person takes of a draft: points into their own room, chapters into the transcript. */
export function useTaking(kind: DraftKind): Taking {
  const { doc, editable } = useDocument();
  const step = useStep();
  const notes = useAtomValue(annotationsAtom)?.notes ?? null;
  if (kind === 'chapters') {
    const chapterOf = ({ id, quotes }: DraftView, title: string) => ({ id, start: quotes[0]?.start ?? 0, title });
    return {
      take: (draft, title) => {
        if (!editable) return 'closed';
        if (!doc.getMap('toc').has(draft.id)) step((by) => addTimed(doc, 'toc', chapterOf(draft, title), by));
        return null;
      },
      takeBack: (draft, title) => {
        if (!isOpen(doc) || !editable) return 'closed';
        const wanted = timedFields('toc', chapterOf(draft, title));
        const now = readTimed(doc, 'toc').find(({ id }) => id === draft.id);
        if (now && (now.title !== wanted.title || now.start !== wanted.start)) return 'edited';
        step((by) => removeTimed(doc, 'toc', draft.id, by));
        return null;
      },
    };
  }
  return {
    take: ({ id }, text) => {
      const own = notes?.read();
      if (!own?.ready || !own.editable) return 'closed';
      if (readSummary(own.doc, 'private').length >= mostSummary) return 'full';
      putBackSummary(own.doc, 'private', { id, order: lastOrder(own.doc, 'private'), text }, 'summary');
      return null;
    },
    takeBack: ({ id }, text) => {
      const own = notes?.read();
      if (!own?.ready || !own.editable || !isOpen(own.doc)) return 'closed';
      const now = readSummary(own.doc, 'private').find((one) => one.id === id);
      const isEdited = now !== undefined && now.text !== text.slice(0, longestSummary);
      if (isEdited || readSummary(doc, 'shared').some((one) => one.id === id)) return 'edited';
      removeSummary(own.doc, 'private', id, 'summary');
      return null;
    },
  };
}
