import { useEffect, type RefObject } from 'react';

/** Tells the page how high the bar at its foot is, so that nothing is covered by it. */
export function useFoot(bar: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = bar.current;
    if (!element) return;
    const { style } = document.documentElement;
    const size = new ResizeObserver(() => style.setProperty('--recorder', `${element.offsetHeight}px`));
    size.observe(element);
    return () => {
      size.disconnect();
      style.removeProperty('--recorder');
    };
  }, [bar]);
}
