import { useRef, useState, type CSSProperties, type MouseEvent, type PointerEvent } from 'react';

/** Distance in pixels from which a press is a drag. */
const slack = 6;

interface Dragged {
  id: string;
  /** Place where a release would put it, counted among the others. */
  to: number;
  /** Distance from its own place, in pixels. */
  by: number;
}

/** Reorders the buttons of a column by dragging; a press without a move stays a click. */
export function useDragged(ids: readonly string[], move: (id: string, to: number) => void) {
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const ended = useRef(false);
  const size = useRef(0);

  const press = (event: PointerEvent<HTMLElement>, id: string) => {
    ended.current = false;
    const element = event.currentTarget;
    const column = element.closest('[data-rail]');
    if (event.button !== 0 || !column) return;
    const begun = event.clientY;
    const middles = ids.flatMap((one) => {
      const box = column.querySelector(`[data-pane-button="${CSS.escape(one)}"]`)?.getBoundingClientRect();
      return box && one !== id ? [box.top + box.height / 2] : [];
    });
    size.current = element.getBoundingClientRect().height;
    const ending = new AbortController();
    const { signal } = ending;
    let now: Dragged | null = null;
    const finish = (drop: boolean) => {
      ending.abort();
      setDragged(null);
      if (!now) return;
      ended.current = true;
      if (drop && now.to !== ids.indexOf(id)) move(id, now.to);
    };
    const moved = ({ clientY, pointerId }: globalThis.PointerEvent) => {
      const by = clientY - begun;
      if (!now && Math.abs(by) < slack) return;
      if (!now) element.setPointerCapture(pointerId);
      now = { id, by, to: middles.filter((middle) => middle < clientY).length };
      setDragged(now);
    };
    window.addEventListener('pointermove', moved, { signal });
    window.addEventListener('pointerup', () => finish(true), { signal });
    window.addEventListener('pointercancel', () => finish(false), { signal });
    window.addEventListener(
      'keydown',
      (event) => {
        if (event.key !== 'Escape' || !now) return;
        event.stopPropagation();
        finish(false);
      },
      { capture: true, signal },
    );
  };

  /** How far a button is moved out of its place while another is dragged. */
  const shift = (id: string): CSSProperties | undefined => {
    if (!dragged) return undefined;
    if (id === dragged.id) return { transform: `translateY(${dragged.by}px)` };
    const [from, at] = [ids.indexOf(dragged.id), ids.indexOf(id)];
    const among = at > from ? at - 1 : at;
    const by = at < from && among >= dragged.to ? 1 : at > from && among < dragged.to ? -1 : 0;
    return { transform: `translateY(${by * size.current}px)` };
  };

  /** Keeps the click that ends a drag from opening the pane. */
  const guard = (event: MouseEvent) => {
    if (!ended.current) return;
    ended.current = false;
    event.stopPropagation();
    event.preventDefault();
  };
  return { dragged: dragged?.id ?? null, press, shift, guard };
}
