import { useEffect, useEffectEvent, useRef, type MouseEvent, type ReactNode } from 'react';

import styles from './swipe-drawer.module.css';
import { settles, swiped, type Swipe } from './swipe.ts';

/** Distance from the screen's edge within which a touch can pull the drawer in. */
const edge = 28;

interface SwipeDrawerProps {
  label: string;
  opened: boolean;
  onOpen: () => void;
  onClose: () => void;
  children: ReactNode;
}

/**
 * Drawer at the start edge that follows the finger. The native dialog element provides the focus trap, Escape and an
 * inert page; a vertical touch stays a scroll.
 */
export function SwipeDrawer({ label, opened, onOpen, onClose, children }: SwipeDrawerProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpened = useEffectEvent(() => opened);
  const open = useEffectEvent(onOpen);
  const close = useEffectEvent(onClose);

  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    if (opened) {
      if (!element.open) element.showModal();
      element.style.removeProperty('--pulled');
      element.dataset.shown = '';
      return;
    }
    delete element.dataset.shown;
    if (element.open) return closeAfterMotion(element);
  }, [opened]);

  useEffect(() => {
    const element = dialog.current;
    if (!element) return;
    let swipe: Swipe | null = null;
    const direction = () => (getComputedStyle(element).direction === 'rtl' ? -1 : 1);

    const start = (event: TouchEvent) => {
      const touch = event.touches[0];
      if (event.touches.length !== 1 || !touch) {
        swipe = null;
        return;
      }
      const fromEdge = direction() === 1 ? touch.clientX : window.innerWidth - touch.clientX;
      const fromOpen = isOpened();
      if (!fromOpen && fromEdge > edge) return;
      swipe = { x: touch.clientX, y: touch.clientY, at: event.timeStamp, opened: fromOpen, dragging: false };
    };
    const move = (event: TouchEvent) => {
      const touch = event.touches[0];
      if (!swipe || !touch) return;
      const width = element.offsetWidth || 1;
      const pulled = swiped(swipe, touch, width, direction());
      if (pulled === 'scroll') {
        swipe = null;
        return;
      }
      if (pulled === null) return;
      swipe.dragging = true;
      event.preventDefault();
      if (!element.open) element.showModal();
      element.dataset.dragging = '';
      element.style.setProperty('--pulled', String(pulled));
    };
    const end = (event: TouchEvent) => {
      const touch = event.changedTouches[0];
      const ended = swipe;
      swipe = null;
      if (!ended?.dragging || !touch) return;
      delete element.dataset.dragging;
      element.style.removeProperty('--pulled');
      const stays = settles(ended, touch, event.timeStamp, element.offsetWidth || 1, direction());
      if (stays && !ended.opened) open();
      else if (!stays && ended.opened) close();
      else if (!stays) closeAfterMotion(element);
    };

    document.addEventListener('touchstart', start, { passive: true });
    document.addEventListener('touchmove', move, { passive: false });
    document.addEventListener('touchend', end);
    document.addEventListener('touchcancel', end);
    return () => {
      document.removeEventListener('touchstart', start);
      document.removeEventListener('touchmove', move);
      document.removeEventListener('touchend', end);
      document.removeEventListener('touchcancel', end);
    };
  }, []);

  // A press on the dialog element itself is on its backdrop and closes; one inside the panel does not.
  const press = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose();
  };
  return (
    <dialog
      ref={dialog}
      className={styles.drawer}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={press}
    >
      <div className={styles.panel}>{children}</div>
    </dialog>
  );
}

/** Closes after the panel has slid out; the returned function cancels that. */
function closeAfterMotion(element: HTMLDialogElement): () => void {
  let called = true;
  const motions = element.getAnimations({ subtree: true }).map((motion) => motion.finished);
  void Promise.allSettled(motions).then(() => {
    if (called) element.close();
  });
  return () => {
    called = false;
  };
}
