import { useState, type ReactNode } from 'react';

import { PartDialog } from '../../errors/part-dialog.tsx';
import { part } from '../../errors/part.tsx';

const ReplaceDialog = part(async () => ({ default: (await import('./replace-dialog.tsx')).ReplaceDialog }), {
  Around: PartDialog,
});

/** Opens the dialog; it is fetched when somebody wants it for the first time. */
export function useReplace(): { open: () => void; dialog: ReactNode } {
  const [wanted, setWanted] = useState(false);
  const [opened, setOpened] = useState(false);
  return {
    open: () => {
      setWanted(true);
      setOpened(true);
    },
    dialog: wanted && <ReplaceDialog opened={opened} onClose={() => setOpened(false)} />,
  };
}
