import { dollarsOf } from '#shared/dollars.ts';
import type { MeetingHit } from '#shared/meetings/meeting.ts';

type Paid = NonNullable<MeetingHit['cost']>;

/** Above this, and from so many characters on, an amount is shown in thousands. */
const short = { above: 1000, characters: 6 };

const toHundredths = (amount: number): number => Math.round(amount * 100) / 100;
const isLong = (amount: number): boolean =>
  amount > short.above && String(toHundredths(amount)).length >= short.characters;

/** Written with K for thousands, behind the number and before a unit: `$1.2K`, `1,2K $`. */
function inThousands(amount: number, language: string, how: Intl.NumberFormatOptions): string {
  const cut = new Intl.NumberFormat(language, {
    ...how,
    ...{ minimumFractionDigits: 0, maximumFractionDigits: 1, roundingMode: 'trunc' },
  }).formatToParts(amount / 1000);
  const last = cut.findLastIndex(({ type }) => type === 'integer' || type === 'fraction');
  return cut.map(({ value }, nth) => value + (nth === last ? 'K' : '')).join('');
}

const dollars = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const;
const inMinutes = { style: 'unit', unit: 'minute', unitDisplay: 'short' } as const;

/** Credits and minutes that were paid; `whole` is without thousands. */
export function costText({ credits, minutes }: Paid, language: string, { whole = false } = {}): string {
  const shortly = (amount: number) => !whole && isLong(amount);
  const plain = new Intl.NumberFormat(language, { ...inMinutes, maximumFractionDigits: minutes < 0.05 ? 2 : 1 });
  return [
    ...(credits === 0
      ? []
      : [shortly(credits) ? inThousands(credits, language, dollars) : dollarsOf(credits, language)]),
    ...(minutes === 0 ? [] : [shortly(minutes) ? inThousands(minutes, language, inMinutes) : plain.format(minutes)]),
  ].join(' + ');
}
