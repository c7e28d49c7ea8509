import type { EditorView } from '@tiptap/pm/view';

const margin = 8;

/** Element that shows a segment. */
export const elementOf = (view: EditorView, segmentId: string | null): HTMLElement | null =>
  view.dom.querySelector<HTMLElement>(`:scope > [data-id="${CSS.escape(segmentId ?? '')}"]`);

/** Places a panel below its anchor, above it if there is no room, and always inside the window. */
export function placeBelow(panel: HTMLElement, anchor: HTMLElement | null): void {
  const at = anchor?.getBoundingClientRect() ?? new DOMRect(margin, margin, 0, 0);
  const { width, height } = panel.getBoundingClientRect();
  const above = at.top - height - margin / 2;
  const below = at.bottom + margin / 2;
  const y = below + height + margin <= window.innerHeight || above < margin ? below : above;
  const set = (name: string, value: number, most: number) =>
    panel.style.setProperty(name, `${Math.round(Math.max(margin, Math.min(value, most)))}px`);
  set('--x', at.left, window.innerWidth - width - margin);
  set('--y', y, window.innerHeight - height - margin);
}
