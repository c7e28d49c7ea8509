import { IconPlayerPlay } from '@tabler/icons-react';
import type { ReactNode } from 'react';

import { stands, type StoredPart } from '#shared/ai/views.ts';

import { useMeeting } from '../meetings/open/meeting-context.ts';
import { clockTime } from '../ui/times.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './chat-pane.module.css';

/** One point of an answer, with its quotes that play, and what can be done with one that stands. */
export function CheckedPart({ part, children }: { part: StoredPart; children?: ReactNode }) {
  const { t } = useTranslation('chat');
  return (
    <div className={styles.part} data-found={stands(part) || undefined}>
      <p>{part.text}</p>
      {!stands(part) && <p className={styles.state}>{t('notFound')}</p>}
      <Quotes quotes={part.quotes} />
      {stands(part) && part.struck > 0 && <p className={styles.state}>{t('struck', { count: part.struck })}</p>}
      {stands(part) && children}
    </div>
  );
}

/** Words of the recording, which play. */
export function Quotes({ quotes }: Pick<StoredPart, 'quotes'>) {
  const { t } = useTranslation('chat');
  const { player } = useMeeting();
  return quotes.map(({ text, start }, nth) => (
    <button
      key={nth}
      type="button"
      className={styles.quote}
      aria-label={t('play', { time: clockTime(start * 1000), words: text })}
      onClick={() => player.play(start * 1000)}
    >
      <IconPlayerPlay size={14} stroke={1.5} aria-hidden="true" />
      <span className={styles.time}>{clockTime(start * 1000)}</span>
      <span>{text}</span>
    </button>
  ));
}
