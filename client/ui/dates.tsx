import { useEffect, useState } from 'react';

import { useTranslation } from '../use-translation.ts';
import { Hint } from './hint.tsx';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Relative within a week, such as "12 min ago", else the date. */
export function relativeDate(date: Date, now: Date, language: string): string {
  const past = date.getTime() - now.getTime();
  const distance = Math.abs(past);
  const short = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' });
  const ago = (unit: 'second' | 'minute' | 'hour' | 'day', length: number) => {
    const words = short.format(Math.trunc(past / length), unit);
    // English shortens with full stops.
    return language.startsWith('en') ? words.replaceAll('.', '') : words;
  };
  if (distance < minute) return ago('second', Infinity);
  if (distance < hour) return ago('minute', minute);
  if (distance < day) return ago('hour', hour);
  if (distance < 7 * day) return ago('day', day);
  const sameYear = date.getFullYear() === now.getFullYear();
  return new Intl.DateTimeFormat(language, {
    day: 'numeric',
    month: 'short',
    ...(!sameYear && { year: 'numeric' }),
  }).format(date);
}

export function exactDate(date: Date, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short' }).format(date);
}

/** Current time, updated as often as the relative dates need. */
function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), minute);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function RelativeDate({ at }: { at: Date }) {
  const now = useNow();
  const { i18n } = useTranslation();
  const exact = exactDate(at, i18n.language);
  return (
    <Hint text={exact}>
      <time dateTime={at.toISOString()} tabIndex={0}>
        {relativeDate(at, now, i18n.language)}
      </time>
    </Hint>
  );
}
