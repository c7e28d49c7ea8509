/** An amount of credits as people of a language write it. */
export const creditsIn = (language: string, credits: number): string =>
  new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(credits);

/** An amount in a field: without decimals that say nothing. */
export const creditsTyped = (language: string, credits: number | null): string =>
  credits === null
    ? ''
    : new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 2 }).format(credits);
