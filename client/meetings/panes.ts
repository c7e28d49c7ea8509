/** The order somebody keeps their panes in: those they named first, then the ones that are new since. */
export function ordered<Pane extends { id: string }>(panes: readonly Pane[], order: readonly string[]): Pane[] {
  const place = (pane: Pane) => {
    const at = order.indexOf(pane.id);
    return at === -1 ? order.length : at;
  };
  return panes.toSorted((one, other) => place(one) - place(other));
}

/** One pane a place up or down; the whole order, as it is kept. */
export function moved(ids: readonly string[], id: string, by: 1 | -1): string[] {
  const from = ids.indexOf(id);
  const to = from + by;
  if (from === -1 || to < 0 || to >= ids.length) return [...ids];
  return ids.toSpliced(from, 1).toSpliced(to, 0, id);
}
