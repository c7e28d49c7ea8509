import { useEffect, useEffectEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';

import { useNotify } from '../../store.ts';
import { useMeeting } from './meeting-context.ts';
import { useOpenText } from './open-text.ts';
import { useShowPlace } from './use-show-place.ts';

/** Shows the place of `?t=<milliseconds>&find=<words>`, to which a search leads, once the text is open. */
export function FoundPlace() {
  const { t } = useTranslation('document');
  const [query] = useSearchParams();
  const { words } = useMeeting();
  const ready = useOpenText() !== null;
  const showPlace = useShowPlace();
  const notify = useNotify();
  const [at, find] = [query.get('t'), query.get('find') ?? ''];
  const ms = at !== null && /^\d{1,9}$/.test(at) ? Number(at) : null;
  const lead = useEffectEvent((time: number) => {
    const { segments, starts } = words.reading();
    const near = Math.max(
      0,
      segments.findLastIndex((segment) => segment.from <= time),
    );
    // Somebody may have moved the words since they were indexed: the nearest paragraph with them counts.
    const found = segments
      .map((segment, nth) => ({ nth, index: find === '' ? -1 : segment.text.indexOf(find) }))
      .filter(({ index }) => index !== -1)
      .toSorted((a, b) => Math.abs(a.nth - near) - Math.abs(b.nth - near))[0];
    if (find !== '' && !found) notify({ type: 'info', message: t('foundGone') });
    const place = (starts[found?.nth ?? near] ?? 0) + (found?.index ?? 0);
    showPlace(time, () => place);
  });
  useEffect(() => {
    if (ready && ms !== null) lead(ms);
  }, [ready, ms, find]);
  return null;
}
