/** Panes in the person's stored order; panes that are new since come last. */
export function ordered<Pane extends { id: string }>(panes: readonly Pane[], order: readonly string[]): Pane[] {
  const place = (pane: Pane) => {
    const at = order.indexOf(pane.id);
    return at === -1 ? order.length : at;
  };
  return panes.toSorted((one, other) => place(one) - place(other));
}

/**
 * Stored order with one pane moved up or down among the shown ones. Hidden panes, as the video of a recording without
 * one, keep their places.
 */
export function moved(order: readonly string[], shown: readonly string[], id: string, by: 1 | -1): string[] {
  const whole = [...new Set([...order, ...shown])];
  const from = shown.indexOf(id);
  const other = from === -1 ? undefined : shown[from + by];
  if (other === undefined) return whole;
  const rest = whole.filter((one) => one !== id);
  return rest.toSpliced(rest.indexOf(other) + (by === 1 ? 1 : 0), 0, id);
}
