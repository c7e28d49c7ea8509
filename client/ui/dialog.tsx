import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import styles from './dialog.module.css';

const motion = { transition: 'fade-up', duration: 150 } as const;

interface DialogProps {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** False where a choice must be made: neither the backdrop, nor Escape, nor a cross closes it. */
  dismissible?: boolean;
  /** True where only the backdrop is to be ignored, so that a stray press loses nothing. */
  keepOnBackdrop?: boolean;
}

/**
 * Asks or shows one thing before all others. The focus stays inside and returns where it came from; the notice stands
 * above it and can be reached, which the browser's own modal dialog would not allow.
 */
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
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      centered
      transitionProps={motion}
      closeOnClickOutside={dismissible && !keepOnBackdrop}
      closeOnEscape={dismissible}
    >
      <Modal.Overlay backgroundOpacity={1} color="var(--shade)" />
      <Modal.Content>
        {/* The kit's own header element would count as a second banner of the page. */}
        <div className={styles.header}>
          <Modal.Title>{title}</Modal.Title>
          {dismissible && <Modal.CloseButton className={styles.close} aria-label={t('close')} />}
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
