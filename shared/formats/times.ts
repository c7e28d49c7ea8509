/** Source of a regular expression without capturing groups; `readTime` reads its matches. */
export const time = String.raw`(?:\d{1,3}:)?\d{1,3}:\d{2}(?:[.,]\d{1,3})?`;

const parts = /^(?:(\d{1,3}):)?(\d{1,3}):(\d{2})(?:[.,](\d{1,3}))?$/;
/** 24 days: the limit of the timing table. */
const latest = 2 ** 31 - 1;

/** Milliseconds; null for an invalid time. */
export function readTime(text: string): number | null {
  const match = parts.exec(text);
  if (!match) return null;
  const [, hours, minutes = '', seconds = '', thousandths = ''] = match;
  if (Number(seconds) > 59 || (hours !== undefined && Number(minutes) > 59)) return null;
  const ms =
    (Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 + Number(thousandths.padEnd(3, '0'));
  return ms <= latest ? ms : null;
}

const two = (value: number) => String(value).padStart(2, '0');

/** `00:12:38.500`, or with a comma. */
export function exactTime(ms: number, mark = '.'): string {
  const whole = Math.max(0, Math.round(ms));
  return `${wholeTime(whole)}${mark}${String(whole % 1000).padStart(3, '0')}`;
}

/** `00:12:38`. */
export function wholeTime(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** `0:42`, `12:38`, `1:04:10`. */
export function shortTime(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

const months = 'January February March April May June July August September October November December'.split(' ');

/** `12 March 2024` for a day such as 2024-03-12. */
export function longDay(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return day === '' ? '' : `${Number(date)} ${months[Number(month) - 1]} ${year}`;
}

/** `Mar 12, 2024`. */
export function shortDay(day: string): string {
  const [year = '', month = '', date = ''] = day.split('-');
  return day === '' ? '' : `${months[Number(month) - 1]?.slice(0, 3)} ${Number(date)}, ${year}`;
}
