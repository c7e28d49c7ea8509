import { useEffect, useState } from 'react';

/** Browser bars that appear and disappear are lower than any keyboard. */
const lowest = 120;

/** Part of the page visible above an on-screen keyboard. */
interface Seen {
  height: number;
  top: number;
}

/** True if the visible height is so much lower than the tallest at this width that a keyboard must be open. */
export function keyboardUp(seen: number, tallest: number): boolean {
  return tallest - seen > lowest;
}

/**
 * Null while no keyboard covers the page. Browsers report a keyboard in two ways: the visible part shrinks, or the page
 * itself does.
 */
export function useKeyboard(): Seen | null {
  const [seen, setSeen] = useState<Seen | null>(null);
  useEffect(() => {
    const { visualViewport: port } = window;
    // Without touch there is no on-screen keyboard, and windows have any height.
    if (!port || !window.matchMedia('(pointer: coarse)').matches) return;
    let tallest = 0;
    let width = 0;
    const look = () => {
      // Zooming also shrinks the visible part.
      const height = Math.round(port.height * port.scale);
      if (window.innerWidth !== width) [width, tallest] = [window.innerWidth, 0];
      tallest = Math.max(tallest, window.innerHeight, height);
      const top = Math.round(port.offsetTop);
      const up = keyboardUp(height, tallest);
      setSeen((before) => {
        if (!up) return null;
        return before?.height === height && before.top === top ? before : { height, top };
      });
    };
    look();
    port.addEventListener('resize', look);
    port.addEventListener('scroll', look);
    return () => {
      port.removeEventListener('resize', look);
      port.removeEventListener('scroll', look);
    };
  }, []);
  return seen;
}
