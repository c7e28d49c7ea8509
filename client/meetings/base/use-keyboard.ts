import { useEffect, useState } from 'react';

/** A bar of the browser that comes and goes is lower than any keyboard. */
const lowest = 120;

/** What of the page can be seen above a keyboard on the screen. */
interface Seen {
  height: number;
  top: number;
}

/** Whether what is seen is so much lower than it once was at this width that a keyboard must be in the way. */
export function keyboardUp(seen: number, tallest: number): boolean {
  return tallest - seen > lowest;
}

/**
 * Null while no keyboard covers the page. Browsers tell it in two ways, and both are heard: the page keeps its height
 * and less of it is seen, or the page itself gets lower.
 */
export function useKeyboard(): Seen | null {
  const [seen, setSeen] = useState<Seen | null>(null);
  useEffect(() => {
    const { visualViewport: port } = window;
    // Without a finger there is no keyboard on the screen, and a window may have any height.
    if (!port || !window.matchMedia('(pointer: coarse)').matches) return;
    let tallest = 0;
    let width = 0;
    const look = () => {
      // Who zooms in sees less, too.
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
