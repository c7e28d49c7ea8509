import { IconNotebook } from '@tabler/icons-react';
import { useAtom, useAtomValue, useSetAtom } from 'jotai';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { useApi } from '../../api.ts';
import { loadChunk } from '../../load.ts';
import { useSession } from '../../session.ts';
import { useReportUnsaved } from '../../store.ts';
import { Bone, Waiting } from '../../ui/waiting.tsx';
import type { Pane } from '../dock.tsx';
import { useAction } from '../keys/actions.ts';
import { pageRoomsAtom } from '../live/page-rooms.ts';
import { LiveRoom } from '../live/room.ts';
import { whyRefused } from '../live/use-room.ts';
import { useMeeting } from '../meeting-context.ts';
import { openPaneAtom } from '../open-pane.ts';
import { notesRoomAtom } from './notes-room.ts';

const NotesPane = lazy(() => loadChunk(() => import('./notes-pane.tsx')));

/** What somebody notes for themselves; nothing for who is not signed in. */
export function useNotesPane(): Pane[] {
  const { t } = useTranslation('notes');
  const principal = useSession().data?.principal;
  const userId = principal?.kind === 'user' ? String(principal.id) : null;
  useNotesRoom(userId);
  const setPane = useSetAtom(openPaneAtom);
  useAction('note', userId === null ? null : () => setPane('notes'));
  if (userId === null) return [];
  return [{ id: 'notes', label: t('title'), short: t('short'), icon: IconNotebook, Content: Notes }];
}

/**
 * Opened with its pane for the first time, and kept for as long as the recording is open: what was typed right before the
 * pane was closed is still on its way then.
 */
function useNotesRoom(userId: string | null): void {
  const { about } = useMeeting();
  const [, put] = useAtom(notesRoomAtom);
  const api = useApi();
  const rooms = useAtomValue(pageRoomsAtom);
  const report = useReportUnsaved();
  const isOpen = useAtomValue(openPaneAtom) === 'notes';
  const [wanted, setWanted] = useState(false);
  if (isOpen && !wanted) setWanted(true);
  const room = `${about.id}/notes`;
  useEffect(() => {
    if (!wanted || userId === null) return;
    const live = new LiveRoom({ room, userId, whyRefused: () => whyRefused(api, room) });
    rooms.add(live);
    put(live);
    const owner = `room ${room}`;
    const unsubscribe = live.subscribe(() => report(owner, live.read().state.pending));
    return () => {
      unsubscribe();
      put(null);
      report(owner, 0);
      rooms.remove(live);
      live.close();
    };
  }, [wanted, userId, room, api, rooms, report, put]);
}

function Notes() {
  const { t } = useTranslation('notes');
  return (
    <Suspense fallback={<Opening label={t('opening')} />}>
      <NotesPane />
    </Suspense>
  );
}

const Opening = ({ label }: { label: string }) => (
  <Waiting label={label}>
    <Bone width="70%" />
    <Bone />
    <Bone width="85%" />
  </Waiting>
);
