import type { PlanView } from './catalogue.ts';

const bundleDays = 365;

/** End of what is bought at that time: of a plan's period, or of the days for which minutes of a bundle can be spent. */
export function periodEnd(from: Date, { type, period }: Pick<PlanView, 'type' | 'period'>): Date {
  if (type === 'bundle') return new Date(from.getTime() + bundleDays * 86_400_000);
  return monthsLater(from, period === 'month' ? 1 : 12);
}

/** Same day some months on, or the last of a shorter month. */
export function monthsLater(from: Date, months: number): Date {
  const at = new Date(from);
  const day = at.getUTCDate();
  at.setUTCDate(1);
  at.setUTCMonth(at.getUTCMonth() + months);
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
  at.setUTCDate(Math.min(day, last));
  return at;
}
