import { IconLinkOff } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import type { Place } from '#shared/meetings/anchors.ts';
import type { Annotation } from '#shared/meetings/annotations.ts';

import { useMeeting } from '../../open/meeting-context.ts';
import { clockTime } from '../../../ui/times.ts';
import styles from './quote.module.css';

interface QuoteProps {
  item: Annotation;
  place: Place | undefined;
  /** Scrolls to the passage. */
  onGo: () => void;
  children?: ReactNode;
}

/** Quoted passage of an annotation, with its current certainty. */
export function Quote({ item, place, onGo, children }: QuoteProps) {
  const { t } = useTranslation('annotations');
  const { words } = useMeeting();
  const time = clockTime(item.start * 1000);
  const lost = place !== undefined && place.by !== 'anchor';
  return (
    <div className={styles.quote}>
      <button type="button" className={styles.go} aria-label={t('goTo', { time, quote: item.quote })} onClick={onGo}>
        {words.timed && <span className={styles.time}>{time}</span>}
        <span className={styles.words}>{item.quote}</span>
      </button>
      {children}
      {lost && (
        <p className={styles.lost}>
          <IconLinkOff size={14} stroke={1.5} aria-hidden="true" />
          {t(place.by === 'quote' ? 'lostQuote' : 'lostTime')}
        </p>
      )}
    </div>
  );
}
