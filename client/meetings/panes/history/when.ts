// Dates of versions. The day is a heading, so a row shows only the time.

const day = 86_400_000;

const midnight = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** Calendar days between two moments. Rounded, since a day can have 23 or 25 hours. */
const daysAgo = (date: Date, now: Date): number => Math.round((midnight(now) - midnight(date)) / day);

/** "today", "yesterday" or a date. */
export function dayName(date: Date, now: Date, language: string): string {
  const ago = daysAgo(date, now);
  if (ago === 0 || ago === 1) return new Intl.RelativeTimeFormat(language, { numeric: 'auto' }).format(-ago, 'day');
  return new Intl.DateTimeFormat(language, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(date.getFullYear() !== now.getFullYear() && { year: 'numeric' }),
  }).format(date);
}

/** `14:02 – 14:31`, or `14:02` when both are in the same minute. */
export function timeSpan(from: Date, to: Date, language: string): string {
  const format = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
  return format.formatRange(from, to);
}

/** Moment as used inside a sentence: `22 November, 14:02`. */
export function momentName(date: Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(date);
}
