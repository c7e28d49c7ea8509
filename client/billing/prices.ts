/** Credits as the language writes numbers. */
export const creditsOf = (amount: string | number, language: string): string =>
  new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 6 }).format(Number(amount));

export const dayOf = (at: number, language: string): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long' }).format(at);

/** Cents of an amount as people type it; null unless it is from 1 to 10,000 with at most two decimals. */
export function centsOf(typed: string): number | null {
  const [, whole, decimals = ''] = /^([0-9]{1,5})(?:[.,]([0-9]{1,2}))?$/.exec(typed.trim()) ?? [];
  if (whole === undefined) return null;
  const cents = Number(whole) * 100 + Number(decimals.padEnd(2, '0'));
  return cents >= 100 && cents <= 1_000_000 ? cents : null;
}

/** Amount of an address, at least 1; empty where there is none. */
export function prefilled(amount: string | null): string {
  if (amount === null) return '';
  const number = Number(amount.replace(',', '.'));
  if (!Number.isFinite(number)) return '';
  const cents = Math.min(Math.max(Math.ceil(number * 100 - 1e-6), 100), 1_000_000);
  return cents % 100 === 0 ? String(cents / 100) : (cents / 100).toFixed(2);
}

/** Length of time since then, in words, such as "3 hours". */
export function timeSince(date: number, now: number, language: string): string {
  const minutes = Math.max(1, Math.round((now - date) / 60_000));
  const [count, unit] = minutes < 60 ? [minutes, 'minute'] : [Math.round(minutes / 60), 'hour'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}
