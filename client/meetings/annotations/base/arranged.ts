/** A card of a list, and whether the words it is about are gone. */
export interface Arranged {
  id: string;
  lost: boolean;
}

/**
 * In which order cards are shown: as given, what lost its words last. Those that are `held` stay where they stand among
 * each other, as an element that is moved loses the focus, and its caret.
 */
export function arranged(given: readonly Arranged[], held: readonly Arranged[] | null): Arranged[] {
  const wanted = [...given.filter(({ lost }) => !lost), ...given.filter(({ lost }) => lost)];
  const there = new Set(wanted.map(({ id }) => id));
  const shown = (held ?? []).filter(({ id }) => there.has(id));
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
