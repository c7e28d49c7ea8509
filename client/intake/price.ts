import type { CostOption } from '#shared/intake.ts';

import { ApiError } from '../api.ts';

/** What it costs now, where that is not what was seen. */
export function newCosts(error: unknown): CostOption[] | null {
  if (!(error instanceof ApiError) || error.code !== 'PRICE') return null;
  const { costs } = error.info;
  return Array.isArray(costs) && costs.length > 0 ? (costs as CostOption[]) : null;
}
