/** First letters of up to the first two words of a name; what stands in brackets is no part of it. */
export const initialsOf = (name: string): string =>
  name
    .replace(/\s*[(（].*[)）]\s*$/u, '')
    .trim()
    .split(/\s+/u)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => ([...word][0] ?? '').toLocaleUpperCase())
    .join('');
