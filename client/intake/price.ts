import type { CostOption } from '#shared/intake.ts';

import { ApiError } from '../api.ts';

const refusals: readonly string[] = ['PRICE', 'FUNDS', 'QUOTA'];

/** The costs there are now, where an error says that the chosen one is not possible. */
export function newCosts(error: unknown): CostOption[] | null {
  if (!(error instanceof ApiError) || !refusals.includes(error.code)) return null;
  const { costs } = error.info;
  return Array.isArray(costs) && costs.length > 0 ? (costs as CostOption[]) : null;
}

/** Text that asks for another choice: the price differs, or somebody has too little. */
export const choiceText = (costs: readonly CostOption[]) =>
  costs.every(({ isEnough, isEnoughQuota }) => isEnough && isEnoughQuota) ? 'cost.changed' : 'cost.refused';
