import { IconLinkOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';

import type { Place } from '#shared/meetings/anchors.ts';
import type { Annotation } from '#shared/meetings/annotations.ts';
import { quoteNow, type Quoted } from '#shared/meetings/quoted.ts';

import { useMeeting } from '../../open/meeting-context.ts';
import { clockTime } from '../../../ui/times.ts';
import { useTranslation } from '../../../use-translation.ts';
import styles from './quote.module.css';

interface QuoteProps {
  item: Annotation;
  place: Place | undefined;
  /** Scrolls to the passage. */
  onGo: () => void;
  children?: ReactNode;
}

/** Quotes by the place that a search found: cards are drawn far more often than places are searched. */
const quotes = new WeakMap<Place, Quoted>();

/** Quoted passage of an annotation in the words there are now, with its current certainty. */
export function Quote({ item, place, onGo, children }: QuoteProps) {
  const { t } = useTranslation('annotations');
  const { words } = useMeeting();
  const time = clockTime(item.start * 1000);
  const known = place && quotes.get(place);
  const quoted = known ?? quoteNow(() => words.reading(), item, place);
  if (place && !known) quotes.set(place, quoted);
  const { quote, before } = quoted;
  const lost = place !== undefined && place.by !== 'anchor';
  return (
    <div className={styles.quote}>
      <button type="button" className={styles.go} aria-label={t('goTo', { time, quote })} onClick={onGo}>
        {words.timed && <span className={styles.time}>{time}</span>}
        <span className={styles.words}>{quote}</span>
      </button>
      {children}
      {before !== null && <p className={styles.lost}>{t('changedQuote', { quote: before })}</p>}
      {lost && (
        <p className={styles.lost}>
          <IconLinkOff size={14} stroke={1.5} aria-hidden="true" />
          {t(place.by === 'quote' ? 'lostQuote' : 'lostTime')}
        </p>
      )}
    </div>
  );
}
