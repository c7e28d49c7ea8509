import { Modal } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { useLayoutEffect, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

import type { GuidePage } from '#shared/guide.ts';

import { guidePath } from '../paths.ts';
import styles from './dialog.module.css';

/** A dialog that moved while it opened would lose a press that began before. */
const motion = { transition: 'fade', duration: 150 } as const;

interface DialogProps {
  opened: boolean;
  onClose: () => void;
  title: ReactNode;
  children: ReactNode;
  /** Page of the guide about it, which opens beside it, so that nothing entered is lost. */
  help?: GuidePage;
  size?: 'sm' | 'md' | 'lg' | 'xl';
  /** False if a choice must be made: backdrop, Escape and cross do not close the dialog. */
  dismissible?: boolean;
  /** True to ignore only the backdrop, so that a stray press loses nothing. */
  keepOnBackdrop?: boolean;
}

/**
 * Modal dialog that keeps the focus inside and returns it on closing. Notices stay above it and reachable, which the
 * browser's own modal dialog would prevent.
 */
export function Dialog({
  opened,
  onClose,
  title,
  children,
  help,
  size = 'md',
  dismissible = true,
  keepOnBackdrop = false,
}: DialogProps) {
  const { t } = useTranslation(['common', 'shell']);
  useOpenMark(opened);
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
        {/* The kit's header element would count as a second banner of the page. */}
        <div className={styles.header}>
          <Modal.Title>{title}</Modal.Title>
          {dismissible && <Modal.CloseButton className={styles.close} aria-label={t('common:close')} />}
          {/* After the cross, which has the focus first. */}
          {help !== undefined && (
            <Link
              className={styles.help}
              to={guidePath(help)}
              target="_blank"
              aria-label={t('shell:help')}
              title={t('shell:help')}
            >
              <IconHelpCircle size={20} stroke={1.5} aria-hidden="true" />
            </Link>
          )}
        </div>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

let openDialogs = 0;

/** Marks the page while a dialog is open, and no longer once it closes: a notice has another place then. */
function useOpenMark(opened: boolean): void {
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const { dataset } = document.documentElement;
    openDialogs += 1;
    dataset['dialog'] = '';
    return () => {
      openDialogs -= 1;
      if (openDialogs === 0) delete dataset['dialog'];
    };
  }, [opened]);
}
