import { useState, type ComponentType, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Dialog } from '../ui/dialog.tsx';
import { part } from './part.tsx';

interface DialogPartProps {
  opened: boolean;
  onClose: () => void;
}

/** A dialog that is fetched when somebody wants it for the first time; where it does not come, that is said in one. */
export const dialogPart = <Props extends { opened?: boolean; onClose: () => void }>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> => part(load, { Around: MissingDialog });

/** Opens it, and gives the focus back to where it was opened from. */
export function useDialogPart(render: (props: DialogPartProps) => ReactNode): { open: () => void; dialog: ReactNode } {
  const [wanted, setWanted] = useState(false);
  const [opened, setOpened] = useState(false);
  // The dialog that is fetched first has nothing yet that would remember it.
  const [cameFrom, setCameFrom] = useState<Element | null>(null);
  const onClose = () => {
    setOpened(false);
    if (cameFrom instanceof HTMLElement) cameFrom.focus();
  };
  return {
    open: () => {
      setCameFrom(document.activeElement);
      setWanted(true);
      setOpened(true);
    },
    dialog: wanted && render({ opened, onClose }),
  };
}

function MissingDialog({
  opened = true,
  onClose,
  children,
}: Partial<DialogPartProps> & { children: ReactNode } & Pick<DialogPartProps, 'onClose'>) {
  const { t } = useTranslation('common');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('notLoaded')} size="sm">
      {children}
    </Dialog>
  );
}
