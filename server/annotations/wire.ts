import type { Outcome } from '#shared/meetings/annotations.ts';
import { sortIdOf, typeOf } from '#shared/meetings/outcome-types.ts';

/** An outcome as it is answered: with what its type says of it. */
export interface WireOutcome extends Outcome {
  /** One of the colours of the product, by its number. */
  color: number;
  /** The code of its type, by which types are sorted. */
  sortId: number;
}

export function onWire(outcome: Outcome): WireOutcome {
  const type = typeOf(outcome.type);
  return { ...outcome, color: type?.color ?? 0, sortId: sortIdOf(type) };
}
