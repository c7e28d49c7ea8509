import { scrollerOf } from './scroller.ts';

/** Scrolls the field that has the focus, or the caret of an editor, to where it is seen. */
export function revealFocus(): void {
  const field = document.activeElement;
  if (!(field instanceof HTMLElement) || field === document.body) return;
  if (!field.isContentEditable) {
    field.scrollIntoView({ block: 'nearest' });
    return;
  }
  const caret = caretBox();
  if (!caret) return;
  const scroller = scrollerOf(field, { overflowing: true });
  const box = scroller.getBoundingClientRect();
  // A line more, so that the next one is seen as well.
  const under = caret.bottom + caret.height - box.bottom;
  const over = box.top + caret.height - caret.top;
  if (under > 0) scroller.scrollTop += under;
  else if (over > 0) scroller.scrollTop -= over;
}

function caretBox(): DOMRect | null {
  const selection = getSelection();
  if (!selection || selection.rangeCount === 0) return null;
  const box = selection.getRangeAt(0).getBoundingClientRect();
  if (box.height > 0) return box;
  // An empty line has no text to measure.
  const { anchorNode } = selection;
  return (anchorNode instanceof Element ? anchorNode : anchorNode?.parentElement)?.getBoundingClientRect() ?? null;
}
