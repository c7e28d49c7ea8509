import { releases } from '../sound/follow.ts';

/** Browsers scroll while a selection is drawn within this distance of an edge. */
const belt = 32;

/**
 * Keeps the text in place while a selection is drawn in it with the mouse: it scrolls only once the pointer leaves the
 * text. Scroll events come before the frame is painted, so taking a scroll back shows nothing.
 */
export function holdStill(port: HTMLElement, signal: AbortSignal): void {
  /** Edge at which the pointer is, and the position to keep there. */
  let held: { edge: 'top' | 'bottom'; at: number } | null = null;
  let pressed = false;
  const moved = ({ clientY }: PointerEvent) => {
    if (!pressed) return;
    const { top, bottom } = port.getBoundingClientRect();
    const edge =
      clientY >= top && clientY < top + belt ? 'top' : clientY <= bottom && clientY > bottom - belt ? 'bottom' : null;
    if (edge === null) held = null;
    else if (held?.edge !== edge) held = { edge, at: port.scrollTop };
  };
  const end = () => {
    pressed = false;
    held = null;
  };
  port.addEventListener(
    'pointerdown',
    (event) => {
      const onBar = event.target === port && event.offsetX >= port.clientWidth;
      pressed = event.pointerType === 'mouse' && event.button === 0 && !onBar;
      moved(event);
    },
    { signal },
  );
  window.addEventListener('pointermove', moved, { signal });
  for (const name of releases) window.addEventListener(name, end, { signal });
  // Scrolling on purpose while selecting.
  port.addEventListener('wheel', end, { passive: true, signal });
  port.addEventListener('keydown', end, { signal });
  port.addEventListener(
    'scroll',
    () => {
      if (!held) return;
      // Scrolling the other way is the browser's own correction, because something above has changed.
      const away = held.edge === 'top' ? port.scrollTop < held.at : port.scrollTop > held.at;
      if (away) port.scrollTop = held.at;
      else held.at = port.scrollTop;
    },
    { signal },
  );
}
