import { useId, useRef, useState, type KeyboardEvent, type ReactNode, type ToggleEvent } from 'react';

import styles from './dropdown.module.css';

const margin = 8;

export interface DropdownProps {
  /** The button's name. */
  label: string;
  /** What the button shows. */
  face: ReactNode;
  children: ReactNode;
}

/**
 * A button that unfolds a short list of places and actions. The browser's popover closes it on Escape and on a press
 * elsewhere and keeps it next to its button in the tab order; the arrows walk through it.
 */
export function Dropdown({ label, face, children }: DropdownProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);

  const toggled = (event: ToggleEvent<HTMLDivElement>) => {
    const opened = event.newState === 'open';
    setOpen(opened);
    if (opened && panel.current && button.current) place(panel.current, button.current.getBoundingClientRect());
  };
  const walk = (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (step === undefined || !panel.current) return;
    event.preventDefault();
    if (!open) panel.current.showPopover();
    const stops = [...panel.current.querySelectorAll<HTMLElement>('a, button')];
    const at = stops.indexOf(document.activeElement as HTMLElement);
    const next =
      step === 'first' ? 0 : step === 'last' ? -1 : at === -1 && step === -1 ? -1 : (at + step) % stops.length;
    stops.at(next)?.focus();
  };
  return (
    <div onKeyDown={walk}>
      <button
        ref={button}
        type="button"
        className={styles.button}
        popoverTarget={id}
        aria-label={label}
        aria-expanded={open}
        aria-controls={id}
      >
        {face}
      </button>
      {/* Whatever is chosen, the list has done its work. */}
      <div
        ref={panel}
        id={id}
        popover="auto"
        className={styles.panel}
        onToggle={toggled}
        onClick={(event) => {
          if ((event.target as Element).closest('a, button')) panel.current?.hidePopover();
        }}
      >
        {children}
      </div>
    </div>
  );
}

const steps: Record<string, number | 'first' | 'last'> = { ArrowDown: 1, ArrowUp: -1, Home: 'first', End: 'last' };

/** Below the button, at the edge that keeps it in the window. */
function place(panel: HTMLElement, at: DOMRect): void {
  const { width } = panel.getBoundingClientRect();
  const rtl = getComputedStyle(panel).direction === 'rtl';
  const wanted = rtl ? at.left : at.right - width;
  const x = Math.min(Math.max(margin, wanted), window.innerWidth - width - margin);
  panel.style.setProperty('--x', `${Math.round(x)}px`);
  panel.style.setProperty('--y', `${Math.round(at.bottom + margin / 2)}px`);
}

/** The rows of a dropdown: `className={dropdownRow}` on a link or button. */
export const dropdownRow = styles.row;
