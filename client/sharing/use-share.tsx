import { lazy, Suspense, useRef, useState, type ReactNode } from 'react';

import { loadChunk } from '../load.ts';

const ShareDialog = lazy(() => loadChunk(() => import('./share-dialog.tsx')));

/** Opens the dialog; it is fetched when somebody wants it for the first time. */
export function useShareDialog({ id, title }: { id: string; title: string }): { open: () => void; dialog: ReactNode } {
  const [wanted, setWanted] = useState(false);
  const [opened, setOpened] = useState(false);
  // The dialog that is fetched first has nothing yet that would remember it.
  const cameFrom = useRef<Element | null>(null);
  const close = () => {
    setOpened(false);
    if (cameFrom.current instanceof HTMLElement) cameFrom.current.focus();
  };
  return {
    open: () => {
      cameFrom.current = document.activeElement;
      setWanted(true);
      setOpened(true);
    },
    dialog: wanted && (
      <Suspense>
        <ShareDialog id={id} title={title} opened={opened} onClose={close} />
      </Suspense>
    ),
  };
}
