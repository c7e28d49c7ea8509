import type { CostOption } from '#shared/intake.ts';

import { ApiError } from '../api.ts';

/** The new costs, where an error says that the price has changed. */
export function newCosts(error: unknown): CostOption[] | null {
  if (!(error instanceof ApiError) || error.code !== 'PRICE') return null;
  const { costs } = error.info;
  return Array.isArray(costs) && costs.length > 0 ? (costs as CostOption[]) : null;
}
