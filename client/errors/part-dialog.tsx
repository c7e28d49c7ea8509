import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Dialog } from '../ui/dialog.tsx';

/** Around the failure of a dialog that did not come. */
export function PartDialog({
  opened = true,
  onClose,
  children,
}: {
  opened?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const { t } = useTranslation('common');
  return (
    <Dialog opened={opened} onClose={onClose} title={t('notLoaded')} size="sm">
      {children}
    </Dialog>
  );
}
