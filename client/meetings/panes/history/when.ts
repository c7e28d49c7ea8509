// Dates of versions: the day is a heading, so that a row needs the time alone.

const day = 86_400_000;

const midnight = (date: Date): number => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

/** Days between two moments, as a calendar has them: a day of 23 hours is one, too. */
const daysAgo = (date: Date, now: Date): number => Math.round((midnight(now) - midnight(date)) / day);

/** One word for today and yesterday, else the date. */
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

/** `14:02`, or `14:02 – 14:31` where it took longer than the clock shows. */
export function timeSpan(from: Date, to: Date, language: string): string {
  const format = new Intl.DateTimeFormat(language, { timeStyle: 'short' });
  return format.formatRange(from, to);
}

/** `22 November, 14:02`: one moment, in the middle of a sentence. */
export function momentName(date: Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(date);
}
