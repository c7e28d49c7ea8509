import { IconNotebook } from '@tabler/icons-react';
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';

import { part } from '../../../errors/part.tsx';
import { useSession } from '../../../session.ts';
import { useReportUnsaved } from '../../../store.ts';
import { useTranslation } from '../../../use-translation.ts';
import type { Pane } from '../../base/pane.ts';
import { AnnotationsWaiting } from '../base/annotations-waiting.tsx';
import { annotationsAtom } from '../base/open-annotations.ts';
import { useAction } from '../../base/actions.ts';
import { pageRoomsAtom } from '../../live/page-rooms.ts';
import { openPaneAtom } from '../../base/open-pane.ts';

const Notes = part(() => import('./notes-pane.tsx'), { waiting: <AnnotationsWaiting /> });

/** Pane of private notes; none when signed out. */
export function useNotesPane(): Pane[] {
  const { t } = useTranslation('notes');
  const signedIn = useSession().data?.principal.kind === 'user';
  useSavedNotes();
  const setPane = useSetAtom(openPaneAtom);
  useAction('note', signedIn ? () => setPane('notes') : null);
  if (!signedIn) return [];
  return [{ id: 'notes', label: t('title'), icon: IconNotebook, button: 'rail', Content: Notes }];
}

/** The save chip covers the notes from their first opening on, also after their pane is closed. */
function useSavedNotes(): void {
  const room = useAtomValue(annotationsAtom)?.notes ?? null;
  const rooms = useAtomValue(pageRoomsAtom);
  const report = useReportUnsaved();
  const pane = useAtomValue(openPaneAtom);
  // Private points of the summary are in the same room.
  const isOpen = pane === 'notes' || pane === 'summary';
  const [seen, setSeen] = useState(false);
  if (isOpen && !seen) setSeen(true);
  useEffect(() => {
    if (!seen || !room) return;
    rooms.add(room);
    const unsubscribe = room.subscribe(() => report('own notes', room.read().state.pending));
    return () => {
      unsubscribe();
      report('own notes', 0);
      rooms.remove(room);
    };
  }, [seen, room, rooms, report]);
}
