/** The order somebody keeps their panes in: those they named first, then the ones that are new since. */
export function ordered<Pane extends { id: string }>(panes: readonly Pane[], order: readonly string[]): Pane[] {
  const place = (pane: Pane) => {
    const at = order.indexOf(pane.id);
    return at === -1 ? order.length : at;
  };
  return panes.toSorted((one, other) => place(one) - place(other));
}

/**
 * The whole order, as it is kept, with one pane a place up or down among those that are shown. What is not shown now, as a
 * recording without pictures has no video, keeps its place among the others.
 */
export function moved(order: readonly string[], shown: readonly string[], id: string, by: 1 | -1): string[] {
  const whole = [...new Set([...order, ...shown])];
  const from = shown.indexOf(id);
  const other = from === -1 ? undefined : shown[from + by];
  if (other === undefined) return whole;
  const rest = whole.filter((one) => one !== id);
  return rest.toSpliced(rest.indexOf(other) + (by === 1 ? 1 : 0), 0, id);
}
