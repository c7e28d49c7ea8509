import { useLayoutEffect } from 'react';

/** Milliseconds in which something else may take the focus that a dialog leaves. */
const others = 10;

/** The return that is due; a dialog that opens in the place of another takes it over. */
let due: { timer: number; to: Element } | null = null;

/**
 * Gives the focus back to what had it before a dialog opened. The kit does so only for a dialog that was drawn closed
 * first, which one that is loaded when it is needed never was.
 */
export function useFocusReturn(opened: boolean): void {
  useLayoutEffect(() => {
    if (!opened) return undefined;
    const before = due?.to ?? document.activeElement;
    if (due) window.clearTimeout(due.timer);
    due = null;
    return () => {
      if (!(before instanceof HTMLElement) || before === document.body) return;
      const last = document.activeElement;
      const timer = window.setTimeout(() => {
        due = null;
        const now = document.activeElement;
        if (now === null || now === document.body || now === last) before.focus({ preventScroll: true });
      }, others);
      due = { timer, to: before };
    };
  }, [opened]);
}
