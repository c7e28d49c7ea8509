import { Modal } from '@mantine/core';
import { IconHelpCircle } from '@tabler/icons-react';
import { useEffect, useLayoutEffect, useRef, useSyncExternalStore, type ReactNode, type RefObject } from 'react';
import { Link } from 'react-router-dom';

import type { GuidePage } from '#shared/guide.ts';
import { Signal } from '#shared/signal.ts';

import { guidePath } from '../paths.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './dialog.module.css';
import { leadTab } from './focus-edge.ts';
import { useFocusReturn } from './focus-return.ts';
import { noticeHost } from './notice-host.ts';

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
  /** Height of what it shows once all is loaded, which it has from the start, so that it does not jump. */
  room?: string | undefined;
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
  room,
}: DialogProps) {
  const { t } = useTranslation(['common', 'shell']);
  const content = useRef<HTMLDivElement>(null);
  const isTop = useOpenMark(opened, content);
  useFocusReturn(opened, content);
  useWayToNotice(isTop, content);
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose}
      size={size}
      centered
      transitionProps={motion}
      closeOnClickOutside={dismissible && !keepOnBackdrop}
      closeOnEscape={dismissible && isTop}
      returnFocus={false}
    >
      <Modal.Overlay backgroundOpacity={1} color="var(--shade)" />
      <Modal.Content ref={content} aria-owns={isTop ? noticeHost : undefined}>
        {/* The kit's header element would count as a second banner of the page. */}
        <div className={styles.header}>
          <Modal.Title className={styles.title}>{title}</Modal.Title>
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
        <Modal.Body style={{ minBlockSize: room }}>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** Leads Tab into the notice beside a dialog and back: keys could not reach it otherwise. */
function useWayToNotice(isTop: boolean, dialog: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (!isTop) return undefined;
    const lead = (event: KeyboardEvent) => {
      const notices = document.getElementById(noticeHost);
      if (dialog.current && notices) leadTab(event, dialog.current, notices);
    };
    document.addEventListener('keydown', lead, true);
    return () => document.removeEventListener('keydown', lead, true);
  }, [isTop, dialog]);
}

/** Open dialogs, the topmost last. */
let openDialogs: readonly object[] = [];
const changed = new Signal();

function setOpen(dialogs: readonly object[]): void {
  openDialogs = dialogs;
  const { dataset } = document.documentElement;
  if (dialogs.length > 0) dataset['dialog'] = '';
  else delete dataset['dialog'];
  changed.emit();
}

/**
 * Marks the page while a dialog is open, and no longer once it closes: a notice has another place then. Returns whether no
 * other dialog is over it.
 */
function useOpenMark(opened: boolean, dialog: RefObject<HTMLElement | null>): boolean {
  useLayoutEffect(() => {
    if (!opened) return undefined;
    setOpen([...openDialogs, dialog]);
    return () => setOpen(openDialogs.filter((one) => one !== dialog));
  }, [opened, dialog]);
  return useSyncExternalStore(changed.subscribe, () => openDialogs.at(-1) === dialog);
}
