/** Panes in the person's stored order; panes that are new since come last, stored names without a pane are passed over. */
export function ordered<Pane extends { id: string }>(panes: readonly Pane[], order: readonly string[]): Pane[] {
  const place = (pane: Pane) => {
    const at = order.indexOf(pane.id);
    return at === -1 ? order.length : at;
  };
  return panes.toSorted((one, other) => place(one) - place(other));
}

/**
 * Stored order with one pane moved to a place among the shown ones, counted without it. Hidden panes, as the video of a
 * recording without one, keep their places.
 */
export function movedTo(order: readonly string[], shown: readonly string[], id: string, to: number): string[] {
  const whole = [...new Set([...order, ...shown])];
  const others = shown.filter((one) => one !== id);
  const at = Math.min(Math.max(to, 0), others.length);
  if (others.length === shown.length || shown.indexOf(id) === at) return whole;
  const rest = whole.filter((one) => one !== id);
  const next = others[at];
  const previous = others[at - 1] ?? '';
  return rest.toSpliced(next === undefined ? rest.indexOf(previous) + 1 : rest.indexOf(next), 0, id);
}
