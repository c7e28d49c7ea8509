/** First letters of up to the first two words of a name. */
export const initialsOf = (name: string): string =>
  name
    .trim()
    .split(/\s+/u)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => ([...word][0] ?? '').toLocaleUpperCase())
    .join('');
