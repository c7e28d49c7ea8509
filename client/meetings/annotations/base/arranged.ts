/** Card of a list, and whether its passage is gone. */
export interface Arranged {
  id: string;
  lost: boolean;
}

/**
 * Order of the cards: as given, those without a passage last. Cards in `held` keep their order, because moving an
 * element in the DOM loses its focus and caret.
 */
export function arranged(given: readonly Arranged[], held: readonly Arranged[] | null): Arranged[] {
  const wanted = [...given.filter(({ lost }) => !lost), ...given.filter(({ lost }) => lost)];
  const present = new Set(wanted.map(({ id }) => id));
  const shown = (held ?? []).filter(({ id }) => present.has(id));
  const known = new Set(shown.map(({ id }) => id));
  for (const [i, one] of wanted.entries()) {
    if (known.has(one.id)) continue;
    const before = shown.findIndex(({ id }) => id === wanted[i - 1]?.id) + 1;
    const first = shown.findIndex(({ lost }) => lost);
    const edge = first === -1 ? shown.length : first;
    shown.splice(one.lost ? Math.max(before, edge) : Math.min(before, edge), 0, one);
  }
  return shown;
}
