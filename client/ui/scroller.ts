/**
 * Finds the element around the given one that scrolls it. With `overflowing`, elements that show all they have are passed
 * over: scrolling them now would move nothing.
 */
export function scrollerOf(element: Element, { overflowing = false } = {}): HTMLElement {
  for (let at = element.parentElement; at; at = at.parentElement) {
    const { overflowY } = getComputedStyle(at);
    if (overflowY !== 'auto' && overflowY !== 'scroll') continue;
    if (!overflowing || at.scrollHeight > at.clientHeight) return at;
  }
  return document.documentElement;
}
