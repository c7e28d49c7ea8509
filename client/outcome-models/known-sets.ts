import { useSyncExternalStore } from 'react';

import { typeOf } from '#shared/meetings/outcome-types.ts';
import { learnSet } from '#shared/meetings/own-types.ts';
import type { SetView } from '#shared/outcome-models.ts';
import { Signal } from '#shared/signal.ts';

// Sets of outcome types that this page knows. Screens with words, colours or grades of types read them by `useKnownSets`, so
// that they are drawn again when a set is learnt or has changed.

/** Number of a type's colour and stroke, from 1; a type that is not known looks like the first. */
type LookOf = (type: string) => number;

const lookOf: LookOf = (type) => ((typeOf(type)?.color ?? 0) % 5) + 1;

const signal = new Signal();
/** Types of each set as they were learnt last. */
const told = new Map<string, string>();
let known: { lookOf: LookOf } = { lookOf };

export function learnSets(sets: readonly SetView[]): void {
  let changed = false;
  for (const set of sets) {
    learnSet(set);
    const types = JSON.stringify(set.types);
    changed ||= told.get(set.id) !== types;
    told.set(set.id, types);
  }
  if (!changed) return;
  // Another function each time, so that what is made with it is made again.
  known = { lookOf: (type) => lookOf(type) };
  signal.emit();
}

const readKnown = () => known;

/** Draws the component again when sets are learnt. */
export const useKnownSets = (): { lookOf: LookOf } => useSyncExternalStore(signal.subscribe, readKnown);
