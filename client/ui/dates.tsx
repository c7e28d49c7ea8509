import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Hint } from './hint.tsx';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Relative within a week, else the date. */
export function relativeDate(date: Date, now: Date, language: string): string {
  const past = date.getTime() - now.getTime();
  const distance = Math.abs(past);
  const words = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  if (distance < minute) return words.format(0, 'second');
  if (distance < hour) return words.format(Math.trunc(past / minute), 'minute');
  if (distance < day) return words.format(Math.trunc(past / hour), 'hour');
  if (distance < 7 * day) return words.format(Math.trunc(past / day), 'day');
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
