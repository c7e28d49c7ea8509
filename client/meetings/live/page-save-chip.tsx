import { useAtomValue } from 'jotai';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useBlocker } from 'react-router-dom';

import { useConfirm } from '../../store.ts';
import { bringConfirm } from '../../ui/confirm-host.tsx';
import { useTranslation } from '../../use-translation.ts';
import { pageRoomsAtom, type Chip } from './page-rooms.ts';
import { CopyOff, SaveChip } from './save-chip.tsx';

/** Combined state of all live documents of the page. */
function useChip(): Chip {
  const rooms = useAtomValue(pageRoomsAtom);
  return useSyncExternalStore(rooms.subscribe, rooms.read);
}

/** Save chip of the page. Asks before leaving while changes are not stored here, or not on the server for some time. */
export function PageSaveChip({ onHistory = null }: { onHistory?: (() => void) | null }) {
  const rooms = useAtomValue(pageRoomsAtom);
  const chip = useChip();
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (rooms.asksToStay()) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [rooms]);
  useStay(chip.pending > 0 && (chip.kind === 'notKept' || !chip.keptHere));
  return <SaveChip chip={chip} words={rooms.unsentWords} onHistory={onHistory} />;
}

/**
 * Asks before a change of page within the application, if unsent words would be lost with this one. What is chosen on a
 * page, and stands behind the `?` of its address, keeps its documents open.
 */
function useStay(wanted: boolean): void {
  const { t } = useTranslation('document');
  const confirm = useConfirm();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => wanted && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(bringConfirm, []);
  const asked = useRef<typeof blocker>(null);
  useEffect(() => {
    if (blocker.state !== 'blocked' || asked.current === blocker) return;
    asked.current = blocker;
    const question = {
      title: t('save.leave.title'),
      text: t('save.leave.text'),
      action: t('save.leave.action'),
      danger: true,
    };
    void confirm(question).then((yes) => (yes ? blocker.proceed() : blocker.reset()));
  }, [blocker, confirm, t]);
}

/** Shown as long as this browser refuses to store a copy. */
export function CopyOffNotice() {
  const { keptHere } = useChip();
  return <div role="status">{!keptHere && <CopyOff />}</div>;
}
