import { useState, type ComponentType, type ReactNode } from 'react';

import { Dialog } from '../ui/dialog.tsx';
import { mainId } from '../ui/skip-link.tsx';
import { useTranslation } from '../use-translation.ts';
import { part } from './part.tsx';

interface DialogPartProps {
  opened: boolean;
  onClose: () => void;
}

/** A dialog whose code is loaded when it is first opened; a failure to load is shown in a dialog as well. */
export const dialogPart = <Props extends { opened?: boolean; onClose: () => void }>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> => part(load, { Around: MissingDialog });

/** Opens the dialog, `atOnce` without a press of its button, and returns the focus afterwards. */
export function useDialogPart(
  render: (props: DialogPartProps) => ReactNode,
  { atOnce = false } = {},
): { open: () => void; dialog: ReactNode } {
  const [wanted, setWanted] = useState(atOnce);
  const [opened, setOpened] = useState(atOnce);
  // While the code loads there is no dialog yet that would remember the focus.
  const [cameFrom, setCameFrom] = useState<Element | null>(null);
  const onClose = () => {
    setOpened(false);
    if (cameFrom instanceof HTMLElement) cameFrom.focus();
    else if (cameFrom === null) document.getElementById(mainId)?.focus();
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
