import type { BalanceView } from '#shared/billing.ts';

import { useTranslation } from '../use-translation.ts';
import { useAmounts } from './amounts.ts';

/** Minutes and credits reserved for running work, in words; null where nothing is reserved. */
export function useReservedText(): (balance: BalanceView | undefined) => string | null {
  const { t } = useTranslation('billing');
  const { money, minutes } = useAmounts();
  return (balance) => {
    if (!balance) return null;
    const { balance: credits, freeMinutes, professionalMinutes } = balance.reserved;
    const count = freeMinutes + professionalMinutes;
    const amounts = [
      ...(Number(credits) > 0 ? [money(credits)] : []),
      ...(count > 0 ? [t('balance.reservedMinutes', { count, minutes: minutes(count) })] : []),
    ];
    return amounts.length === 0 ? null : t('balance.reserved', { amounts: amounts.join(', ') });
  };
}
