import { dollarsOf } from '#shared/dollars.ts';

import { useTranslation } from '../use-translation.ts';

interface Amounts {
  /** USD; a credit is one. */
  money: (amount: number | string, options?: { signed?: boolean }) => string;
  /** Minutes, to a tenth. */
  minutes: (minutes: number, options?: { signed?: boolean }) => string;
  date: (at: number) => string;
}

/** Amounts and dates as the language of the page writes them. */
export function useAmounts(): Amounts {
  const { i18n } = useTranslation();
  const { language } = i18n;
  const sign = (signed = false) => ({ signDisplay: signed ? ('exceptZero' as const) : ('auto' as const) });
  return {
    money: (amount, { signed = false } = {}) => dollarsOf(amount, language, { signed }),
    minutes: (minutes, { signed } = {}) =>
      // Cut, not rounded: nothing is shown that is not there.
      new Intl.NumberFormat(language, { maximumFractionDigits: 1, roundingMode: 'trunc', ...sign(signed) }).format(
        minutes,
      ),
    date: (at) => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(at),
  };
}
