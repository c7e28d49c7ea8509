/** Most business days that a human transcript takes. */
export const longestOrder = 3;

/** The day that is so many business days after another, by this browser's calendar; holidays differ and are not known. */
export function businessDaysAfter(from: Date, days: number): Date {
  const day = new Date(from);
  for (let left = days; left > 0;) {
    day.setDate(day.getDate() + 1);
    if (day.getDay() !== 0 && day.getDay() !== 6) left -= 1;
  }
  return day;
}
