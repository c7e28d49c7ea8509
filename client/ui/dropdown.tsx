import { IconCheck } from '@tabler/icons-react';
import {
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type SyntheticEvent,
  type ToggleEvent,
} from 'react';
import { Link } from 'react-router-dom';

import styles from './dropdown.module.css';

const margin = 8;

interface DropdownProps {
  /** Accessible name of the button. */
  label: string;
  /** Content of the button. */
  face: ReactNode;
  /** True if no row has an icon. */
  plain?: boolean;
  /** Lists of DropdownLink, DropdownButton and DropdownSelect. */
  children: ReactNode;
}

/**
 * Button that opens a short list of links and actions. The browser's popover closes it on Escape and on a press
 * elsewhere and keeps it next to its button in the tab order; arrow keys move through it.
 */
export function Dropdown({ label, face, plain = false, children }: DropdownProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);

  const toggled = (event: ToggleEvent<HTMLDivElement>) => {
    const opened = event.newState === 'open';
    setOpen(opened);
    if (opened && panel.current && button.current) place(panel.current, button.current.getBoundingClientRect());
  };
  const enter = (event: KeyboardEvent) => {
    if (!panel.current || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
    event.preventDefault();
    panel.current.showPopover();
    rows(panel.current)
      .at(event.key === 'ArrowDown' ? 0 : -1)
      ?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={styles.button}
        popoverTarget={id}
        aria-label={label}
        aria-expanded={open}
        aria-controls={id}
        onKeyDown={enter}
      >
        {face}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="group"
        aria-label={label}
        className={styles.panel}
        data-plain={plain || undefined}
        onToggle={toggled}
      >
        {children}
      </div>
    </>
  );
}

interface DropdownLinkProps {
  to: string;
  /** Handed to the page, which outlives a reload. */
  state?: unknown;
  icon?: ReactNode;
  /** True if the link leads to the current page. */
  current?: boolean;
  children: ReactNode;
}

export function DropdownLink({ to, state, icon, current = false, children }: DropdownLinkProps) {
  return (
    <Link
      className={styles.row}
      to={to}
      state={state}
      aria-current={current ? 'page' : undefined}
      onClick={fold}
      onKeyDown={walk}
    >
      <span className={styles.icon}>{icon}</span>
      {children}
    </Link>
  );
}

interface DropdownButtonProps {
  onPress: () => void;
  icon?: ReactNode;
  /** True if the option is already chosen; one without an icon then has a tick in its place. */
  current?: boolean;
  /** Reason to disable the action, shown below it; a press then does nothing. */
  unavailable?: string;
  /** True while the action would do nothing. */
  off?: boolean;
  /** Keeps the list open, for an action that is repeated. */
  stays?: boolean;
  children: ReactNode;
}

export function DropdownButton({
  onPress,
  icon,
  current = false,
  unavailable,
  off,
  stays,
  children,
}: DropdownButtonProps) {
  const press = (event: SyntheticEvent) => {
    if (unavailable !== undefined || off) return;
    if (!stays) fold(event);
    onPress();
  };
  return (
    <button
      type="button"
      className={styles.row}
      aria-current={current || undefined}
      aria-disabled={unavailable !== undefined || off || undefined}
      onClick={press}
      onKeyDown={walk}
    >
      <span className={styles.icon}>
        {icon ?? (current && <IconCheck size={18} stroke={1.5} aria-hidden="true" />)}
      </span>
      {unavailable === undefined ? (
        children
      ) : (
        <span>
          {children} <small className={styles.why}>{unavailable}</small>
        </span>
      )}
    </button>
  );
}

interface DropdownSelectProps {
  label: string;
  icon?: ReactNode;
  options: readonly { value: string; label: string; lang?: string }[];
  value: string;
  onChange: (value: string) => void;
}

/** Choice in the list, which stays open; the list of its options is the browser's. */
export function DropdownSelect({ label, icon, options, value, onChange }: DropdownSelectProps) {
  return (
    <label className={styles.row}>
      <span className={styles.icon}>{icon}</span>
      <span>{label}</span>
      <span className={styles.value} aria-hidden="true">
        {options.find((one) => one.value === value)?.label}
      </span>
      <select
        className={styles.select}
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((one) => (
          <option key={one.value} value={one.value} lang={one.lang}>
            {one.label}
          </option>
        ))}
      </select>
    </label>
  );
}

const panelOf = (event: SyntheticEvent) => event.currentTarget.closest<HTMLElement>('[popover]');
const rows = (panel: HTMLElement) => [...panel.querySelectorAll<HTMLElement>('a, button')];

/** Closes the list after any choice. */
function fold(event: SyntheticEvent): void {
  panelOf(event)?.hidePopover();
}

function walk(event: KeyboardEvent<HTMLElement>): void {
  const panel = panelOf(event);
  if (!panel) return;
  const all = rows(panel);
  const at = all.indexOf(event.currentTarget);
  const places: Record<string, number> = { ArrowDown: (at + 1) % all.length, ArrowUp: at - 1, Home: 0, End: -1 };
  const next = places[event.key];
  if (next === undefined) return;
  event.preventDefault();
  all.at(next)?.focus();
}

/** Below the button, above it near the foot of the window, aligned so that it stays in the window. */
function place(panel: HTMLElement, at: DOMRect): void {
  panel.style.removeProperty('--y');
  const { width, height } = panel.getBoundingClientRect();
  const rtl = getComputedStyle(panel).direction === 'rtl';
  const wanted = rtl ? at.left : at.right - width;
  const x = Math.min(Math.max(margin, wanted), window.innerWidth - width - margin);
  panel.style.setProperty('--x', `${Math.round(x)}px`);
  const below = at.bottom + margin / 2;
  const fits = below + height + margin <= window.innerHeight || at.top < height + margin;
  panel.style.setProperty('--y', `${Math.round(fits ? below : at.top - margin / 2 - height)}px`);
}
