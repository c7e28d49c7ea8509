import type { Outcome } from '#shared/meetings/annotations.ts';
import { sortIdOf, typeOf } from '#shared/meetings/outcome-types.ts';

/** An outcome as sent, with the properties of its type. */
export interface WireOutcome extends Outcome {
  /** Index into the product's colours. */
  color: number;
  /** The code of its type, which defines the order of types. */
  sortId: number;
}

export function onWire(outcome: Outcome): WireOutcome {
  const type = typeOf(outcome.type);
  return { ...outcome, color: type?.color ?? 0, sortId: sortIdOf(type) };
}
