import { useState, type ReactNode } from 'react';

import { PartDialog } from '../../errors/part-dialog.tsx';
import { part } from '../../errors/part.tsx';

const ExportDialog = part(async () => ({ default: (await import('./export-dialog.tsx')).ExportDialog }), {
  Around: PartDialog,
});

/** Opens the dialog; it is fetched when somebody wants it for the first time. */
export function useExport(): { open: () => void; dialog: ReactNode } {
  const [wanted, setWanted] = useState(false);
  const [opened, setOpened] = useState(false);
  return {
    open: () => {
      setWanted(true);
      setOpened(true);
    },
    dialog: wanted && <ExportDialog opened={opened} onClose={() => setOpened(false)} />,
  };
}
