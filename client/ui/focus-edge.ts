const controls = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable="true"]';

/** First or last control of a part of the page that Tab reaches. */
function edgeOf(part: Element, end: 'first' | 'last'): HTMLElement | null {
  const all = [...part.querySelectorAll<HTMLElement>(controls)].filter(
    (one) => one.tabIndex >= 0 && !one.matches(':disabled') && one.checkVisibility(),
  );
  return all.at(end === 'first' ? 0 : -1) ?? null;
}

/** Leads Tab from the end of either of two parts of a page into the other, if it has a control. */
export function leadTab(event: KeyboardEvent, one: Element, other: Element): void {
  if (event.key !== 'Tab') return;
  const [here, there] = other.contains(document.activeElement) ? [other, one] : [one, other];
  const [from, to] = event.shiftKey ? (['first', 'last'] as const) : (['last', 'first'] as const);
  const control = edgeOf(here, from) === document.activeElement ? edgeOf(there, to) : null;
  if (!control) return;
  event.preventDefault();
  event.stopPropagation();
  control.focus();
}
