/** Dollars as a language writes them, to the hundredth of a cent, so that what is shown is what is taken. */
export const dollarsOf = (
  amount: string | number,
  language: string,
  { signed = false }: { signed?: boolean } = {},
): string =>
  new Intl.NumberFormat(language, {
    ...{ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
    ...{ minimumFractionDigits: 2, maximumFractionDigits: 4, signDisplay: signed ? 'exceptZero' : 'auto' },
  }).format(Number(amount));
