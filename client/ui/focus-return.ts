import { useLayoutEffect, type RefObject } from 'react';

/** Milliseconds in which something else may take the focus that a dialog leaves. */
const others = 10;

const open = new Set<RefObject<HTMLElement | null>>();

/** Whether an element is in a dialog that has closed and still fades. */
function isGone(element: Element): boolean {
  const dialog = element.closest('[role="dialog"]');
  return dialog !== null && [...open].every(({ current }) => current !== dialog);
}

/**
 * The return that is due, to the first of these elements that stays: dialogs may close together. A dialog that opens in the
 * place of another takes it over.
 */
let due: { timer: number; to: readonly Element[] } | null = null;

/**
 * Gives the focus back to what had it before a dialog opened. The kit does so only for a dialog that was drawn closed
 * first, which one that is loaded when it is needed never was.
 */
export function useFocusReturn(opened: boolean, dialog: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const active = document.activeElement;
    const before = due?.to ?? (active && active !== document.body ? [active] : []);
    if (due) window.clearTimeout(due.timer);
    due = null;
    open.add(dialog);
    return () => {
      open.delete(dialog);
      if (due) window.clearTimeout(due.timer);
      const to = [...(due?.to ?? []), ...before];
      const timer = window.setTimeout(() => {
        due = null;
        const now = document.activeElement;
        if (now !== null && now !== document.body && !isGone(now)) return;
        const next = to.find((one) => one.isConnected && !isGone(one));
        if (next instanceof HTMLElement) next.focus({ preventScroll: true });
      }, others);
      due = { timer, to };
    };
  }, [opened, dialog]);
}
