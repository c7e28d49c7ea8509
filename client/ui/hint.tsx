import {
  cloneElement,
  useEffect,
  useId,
  useRef,
  useState,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
} from 'react';

import styles from './hint.module.css';

const hoverDelay = 400;
const tapStay = 4_000;
const gap = 4;

interface HintProps {
  text: string;
  /** False if the text is already the child's label, as with icon buttons, so that it is not announced twice. */
  describes?: boolean;
  /** Milliseconds the pointer rests before the hint shows. */
  delay?: number;
  /** Side of the child where the hint shows, if there is room. */
  side?: 'below' | 'start';
  children: ReactElement<{ 'aria-describedby'?: string }>;
}

/**
 * Tooltip on hover, focus and tap. Escape closes it. The pointer may rest on it, unless it only names its child: the name of
 * a button is not to cover the button below.
 */
export function Hint({ text, describes = true, delay = hoverDelay, side = 'below', children }: HintProps) {
  const id = useId();
  const anchor = useRef<HTMLSpanElement>(null);
  const bubble = useRef<HTMLSpanElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [open, setOpen] = useState(false);

  const after = (milliseconds: number, show: boolean) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(show), milliseconds);
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  useEffect(() => {
    if (!open || !anchor.current || !bubble.current) return;
    const element = bubble.current;
    element.showPopover();
    place(element, anchor.current.getBoundingClientRect(), side);
    const close = () => setOpen(false);
    const escape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') close();
    };
    window.addEventListener('scroll', close, { capture: true, passive: true });
    window.addEventListener('keydown', escape, true);
    return () => {
      window.removeEventListener('scroll', close, { capture: true });
      window.removeEventListener('keydown', escape, true);
      element.hidePopover();
    };
  }, [open, side]);

  const enter = (event: PointerEvent) => event.pointerType !== 'touch' && after(open ? 0 : delay, true);
  const leave = (event: PointerEvent) => event.pointerType !== 'touch' && after(0, false);
  // A tap on an icon button runs its action; a tap on anything else opens the hint.
  const tap = (event: PointerEvent) => {
    if (event.pointerType !== 'touch' || !describes) return;
    setOpen(true);
    after(tapStay, false);
  };
  return (
    <span
      ref={anchor}
      className={styles.anchor}
      onPointerEnter={enter}
      onPointerLeave={leave}
      onPointerUp={tap}
      onPointerDown={() => clearTimeout(timer.current)}
      onFocus={(event) => event.target.matches(':focus-visible') && after(0, true)}
      onBlur={() => after(0, false)}
    >
      {describes ? cloneElement(children, { 'aria-describedby': id }) : children}
      <span
        ref={bubble}
        id={id}
        role="tooltip"
        popover="manual"
        className={styles.bubble}
        data-names={!describes || undefined}
      >
        {(open || describes) && <span className={styles.text}>{text}</span>}
      </span>
    </span>
  );
}

/** A figure that explains itself on hover, focus and tap. */
export function Explained({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Hint text={text}>
      <span className={styles.explained} tabIndex={0}>
        {children}
      </span>
    </Hint>
  );
}

/** Below its anchor, above it if there is no room, and always inside the window. */
function place(element: HTMLElement, at: DOMRect, side: 'below' | 'start'): void {
  const { width, height } = element.getBoundingClientRect();
  if (side === 'start' && at.left > width + 2 * gap) {
    element.style.setProperty('--x', `${Math.round(at.left - width - gap)}px`);
    element.style.setProperty('--y', `${Math.round(at.top + (at.height - height) / 2)}px`);
    return;
  }
  const below = at.bottom + height + gap <= window.innerHeight;
  const y = below ? at.bottom : at.top - height;
  const x = Math.min(Math.max(gap, at.left + at.width / 2 - width / 2), window.innerWidth - width - gap);
  element.style.setProperty('--x', `${Math.round(x)}px`);
  element.style.setProperty('--y', `${Math.round(y)}px`);
}
