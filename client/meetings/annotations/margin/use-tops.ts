import { useAtomValue } from 'jotai';
import { startTransition, useEffect, useState, type RefObject } from 'react';

import { scrollerOf } from '../../../ui/scroller.ts';
import { useOpenText } from '../../open/open-text.ts';
import { lineTop, segmentsInView } from '../../text/paint.ts';
import { placesAtom } from '../base/open-annotations.ts';

type Tops = ReadonlyMap<string, number>;

/** Milliseconds after which cards are drawn even while somebody scrolls. */
const longestIdle = 400;

/**
 * Tops of the passages near the window, by the keys of their annotations, in pixels below the top of an element.
 * Read at most once a frame: after the text changed its height, and after the places were searched anew. After scrolling
 * half a window they are read when the browser has nothing else to do. A key that changes no line reads nothing.
 */
export function useTops(host: RefObject<HTMLElement | null>): Tops {
  const open = useOpenText();
  const places = useAtomValue(placesAtom);
  const [tops, setTops] = useState<Tops>(() => new Map());
  useEffect(() => {
    const element = host.current;
    if (!open || !places || !element) return;
    const { view } = open;
    const port = scrollerOf(view.dom);
    let frame = 0;
    let idle = 0;
    let readAt = 0;
    const read = () => {
      frame = 0;
      forgetIdle();
      // A hidden tab has no positions.
      if (view.isDestroyed || element.offsetParent === null) return;
      readAt = port.scrollTop;
      const zero = element.getBoundingClientRect().top;
      const found = new Map<string, number>();
      for (const shown of segmentsInView(view, port.clientHeight))
        for (const { key, at } of places.beginnings(shown)) {
          const top = lineTop(shown.element, at);
          if (top !== null) found.set(key, Math.round(top - zero));
        }
      startTransition(() => setTops((before) => (isSame(before, found) ? before : found)));
    };
    const forgetIdle = () => {
      cancelIdle(idle);
      idle = 0;
    };
    const ask = () => {
      frame ||= requestAnimationFrame(read);
    };
    const scrolled = () => {
      if (Math.abs(port.scrollTop - readAt) > port.clientHeight / 2) idle ||= whenIdle(read);
    };
    const size = new ResizeObserver(ask);
    // The parent also changes with what is above the text.
    for (const one of [view.dom, port, element.parentElement]) if (one) size.observe(one);
    const unsubscribe = places.subscribe(ask);
    port.addEventListener('scroll', scrolled, { passive: true });
    ask();
    return () => {
      cancelAnimationFrame(frame);
      forgetIdle();
      size.disconnect();
      unsubscribe();
      port.removeEventListener('scroll', scrolled);
    };
  }, [host, open, places]);
  return tops;
}

// Safari has no idle callbacks.
const whenIdle = (work: () => void): number =>
  'requestIdleCallback' in window
    ? requestIdleCallback(work, { timeout: longestIdle })
    : (setTimeout(work, longestIdle / 4) as unknown as number);

const cancelIdle = (id: number): void =>
  'cancelIdleCallback' in window
    ? cancelIdleCallback(id)
    : clearTimeout(id as unknown as ReturnType<typeof setTimeout>);

const isSame = (one: Tops, other: Tops): boolean =>
  one.size === other.size && [...one].every(([key, top]) => other.get(key) === top);
