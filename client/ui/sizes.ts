/** Bytes as people read them, such as "640 MB": two digits are enough for an amount that is an estimate. */
export function sizeText(bytes: number, language: string): string {
  const [unit, one] = bytes >= 1e9 ? (['gigabyte', 1e9] as const) : (['megabyte', 1e6] as const);
  const format = new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    maximumSignificantDigits: bytes < 1e8 ? 3 : 2,
  });
  return format.format(Math.max(bytes / one, bytes > 0 ? 0.1 : 0));
}
