import { useState } from 'react';

export interface Selection {
  ids: ReadonlySet<string>;
  /** `through` selects all from the last one to this one. */
  toggle: (id: string, through: boolean) => void;
  setAll: (on: boolean) => void;
}

/** The selected rows of the screen, in its order; empty in another `place`. */
export function useSelection(shown: readonly string[], place: string): Selection {
  const none = { place, ids: new Set<string>(), last: null as string | null };
  const [held, setHeld] = useState(none);
  const { ids: kept, last } = held.place === place ? held : none;
  // Rows that have left the list are not selected any more.
  const ids = new Set(shown.filter((id) => kept.has(id)));
  return {
    ids,
    toggle: (id, through) => {
      const next = new Set(ids);
      const [from, to] = [last === null ? -1 : shown.indexOf(last), shown.indexOf(id)];
      const on = !ids.has(id);
      const range = through && from >= 0 ? shown.slice(Math.min(from, to), Math.max(from, to) + 1) : [id];
      for (const one of range) {
        if (on) next.add(one);
        else next.delete(one);
      }
      setHeld({ place, ids: next, last: id });
    },
    setAll: (on) => setHeld({ place, ids: new Set(on ? shown : []), last: null }),
  };
}
