import { scrollerOf } from './scroller.ts';

/** Height of the start of an answer, in pixels: its head and the first lines. */
const startHeight = 160;

/** Scrolls to an answer that appeared below what is seen; one whose start is seen already stays where it is. */
export function revealStart(answer: Element): void {
  const box = answer.getBoundingClientRect();
  const scroller = scrollerOf(answer, { overflowing: true });
  const seen = scroller === document.documentElement ? window.innerHeight : scroller.getBoundingClientRect().bottom;
  if (box.top + Math.min(box.height, startHeight) <= seen) return;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  answer.scrollIntoView({ block: 'start', behavior: still ? 'instant' : 'smooth' });
}
