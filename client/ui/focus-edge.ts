/** Id of what holds notices: a dialog owns it while it is open, and keys lead from one to the other. */
export const noticeHost = 'notices';

const controls = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable="true"]';

/** First or last control of a part of the page that Tab reaches. */
export function edgeOf(part: Element, end: 'first' | 'last'): HTMLElement | null {
  const all = [...part.querySelectorAll<HTMLElement>(controls)].filter(
    (one) => one.tabIndex >= 0 && !one.matches(':disabled') && one.checkVisibility(),
  );
  return all.at(end === 'first' ? 0 : -1) ?? null;
}
