import { useRef, useState, type ReactNode } from 'react';

import { PartDialog } from '../errors/part-dialog.tsx';
import { part } from '../errors/part.tsx';
import type { Shared } from './sharing-query.ts';

const ShareDialog = part(() => import('./share-dialog.tsx'), { Around: PartDialog });

/** Opens the dialog; it is fetched when somebody wants it for the first time. */
export function useShareDialog({ title, ...shared }: Shared & { title: string }): {
  open: () => void;
  dialog: ReactNode;
} {
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
    dialog: wanted && <ShareDialog shared={shared} title={title} opened={opened} onClose={close} />,
  };
}
