import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export interface DialogProps {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** False where a choice must be made: neither the backdrop, nor Escape, nor a cross closes it. */
  dismissible?: boolean;
  /** True when only the backdrop is to be ignored, so that a stray click loses nothing. */
  keepOnBackdrop?: boolean;
}

export function Dialog({
  opened,
  onClose,
  title,
  children,
  size = 'md',
  dismissible = true,
  keepOnBackdrop = false,
}: DialogProps) {
  const { t } = useTranslation('common');
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size={size}
      closeOnClickOutside={dismissible && !keepOnBackdrop}
      closeOnEscape={dismissible}
      withCloseButton={dismissible}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {children}
    </Modal>
  );
}
