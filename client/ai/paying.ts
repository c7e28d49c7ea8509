import type { CostOption } from '#shared/intake.ts';

import { isUsable } from '../intake/steps.ts';

/** Payer as the person saw or chose it; without a group, the person. */
export interface Payer {
  groupId: string | null;
  name: string | null;
}

interface Offered {
  /** Way to pay that is taken. */
  option: CostOption | null;
  /** The payer of before who pays no more, so that the person must choose another one. */
  gone: Payer | null;
}

/**
 * The way to pay: the payer that the person saw before stays, and nobody else replaces them unasked; at first it is the
 * first one that can. What is free needs no choice.
 */
export function payingWith(costs: readonly CostOption[], kept: Payer | null): Offered {
  const first = costs.find(isUsable) ?? costs[0] ?? null;
  if (!kept || first === null || first.cost === 0) return { option: first, gone: null };
  const option = costs.find(({ groupId }) => groupId === kept.groupId) ?? null;
  return { option, gone: option ? null : kept };
}
