/** Touch in progress: where and when it began, and whether the drawer was open then. */
export interface Swipe {
  x: number;
  y: number;
  at: number;
  opened: boolean;
  dragging: boolean;
}

interface Point {
  clientX: number;
  clientY: number;
}

/** Smaller movements have no direction yet. */
const slack = 8;
/** Speed in px per ms above which a flick decides, whatever the distance. */
const flick = 0.4;

/** Open fraction of the drawer under the finger, from 0 to 1; null while undecided, 'scroll' if it is no swipe. */
export function swiped(swipe: Swipe, to: Point, width: number, direction: 1 | -1): number | null | 'scroll' {
  const across = (to.clientX - swipe.x) * direction;
  const along = Math.abs(to.clientY - swipe.y);
  if (!swipe.dragging) {
    if (Math.max(Math.abs(across), along) < slack) return null;
    if (along >= Math.abs(across)) return 'scroll';
  }
  const from = swipe.opened ? 1 : 0;
  return Math.min(1, Math.max(0, from + across / width));
}

/** Whether the drawer opens when the finger is lifted: by the flick, else by the nearer side. */
export function settles(swipe: Swipe, to: Point, at: number, width: number, direction: 1 | -1): boolean {
  const across = (to.clientX - swipe.x) * direction;
  const speed = across / Math.max(1, at - swipe.at);
  if (Math.abs(speed) > flick) return speed > 0;
  return (swipe.opened ? 1 : 0) + across / width > 0.5;
}
