import { lazy, Suspense, useState, type ReactNode } from 'react';

import { loadChunk } from '../../load.ts';

const ExportDialog = lazy(() =>
  loadChunk(async () => ({ default: (await import('./export-dialog.tsx')).ExportDialog })),
);

/** Opens the dialog; it is fetched when somebody wants it for the first time. */
export function useExport(): { open: () => void; dialog: ReactNode } {
  const [wanted, setWanted] = useState(false);
  const [opened, setOpened] = useState(false);
  return {
    open: () => {
      setWanted(true);
      setOpened(true);
    },
    dialog: wanted && (
      <Suspense>
        <ExportDialog opened={opened} onClose={() => setOpened(false)} />
      </Suspense>
    ),
  };
}
