import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useRef, useState, type RefObject } from 'react';
import { Link } from 'react-router-dom';

import { IconButton } from '../ui/icon-button.tsx';
import { clockTime } from '../ui/times.ts';
import { useTranslation } from '../use-translation.ts';
import styles from './finds.module.css';

/** Seconds before a place from which it is played. */
const lead = 3;

interface Played {
  src: string;
  /** Seconds. */
  start: number;
  title: string;
  /** Address of the place. */
  to: string;
}

export interface PlacePlayer {
  element: RefObject<HTMLAudioElement | null>;
  played: Played | null;
  failed: boolean;
  play(place: Played): void;
  onFailed(): void;
}

/** One player for all places, whichever recording they are in. */
export function usePlacePlayer(): PlacePlayer {
  const element = useRef<HTMLAudioElement>(null);
  const [played, setPlayed] = useState<Played | null>(null);
  const [failed, setFailed] = useState(false);
  return {
    element,
    played,
    failed,
    onFailed: () => setFailed(true),
    play: (place) => {
      const audio = element.current;
      if (!audio) return;
      setPlayed(place);
      setFailed(false);
      if (audio.getAttribute('src') !== place.src) audio.src = place.src;
      audio.currentTime = Math.max(0, place.start - lead);
      // A second press before it plays interrupts the first.
      audio.play().catch((error: Error) => error.name !== 'AbortError' && setFailed(true));
    },
  };
}

export const isAt = ({ played }: PlacePlayer, src: string, start: number): boolean =>
  played?.src === src && played.start === start;

/** Bar at the bottom of the window for the place that is played. */
export function PlaceBar({ player: { element, played, failed, onFailed } }: { player: PlacePlayer }) {
  const { t } = useTranslation(['finding', 'library']);
  const [playing, setPlaying] = useState(false);
  const [ms, setMs] = useState(0);
  const icon = { size: 20, stroke: 1.5, 'aria-hidden': 'true' } as const;
  const toggle = () => {
    const audio = element.current;
    if (!audio) return;
    if (audio.paused) void audio.play().catch(onFailed);
    else audio.pause();
  };
  return (
    <div className={styles.bar} hidden={played === null} role="group" aria-label={t('places.player')}>
      <audio
        ref={element}
        preload="none"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onError={onFailed}
        onTimeUpdate={({ currentTarget }) => setMs(currentTarget.currentTime * 1000)}
      >
        {/* No captions: the words are in the list. */}
        <track kind="captions" />
      </audio>
      {played && (
        <>
          <IconButton
            label={playing ? t('places.pause') : t('places.play')}
            icon={playing ? <IconPlayerPause {...icon} /> : <IconPlayerPlay {...icon} />}
            onClick={toggle}
          />
          <span className={styles.clock}>{clockTime(ms)}</span>
          <Link className={styles.title} to={played.to}>
            {played.title || t('library:untitled')}
          </Link>
          {failed && (
            <span role="alert" className={styles.failed}>
              {t('places.soundFailed')}
            </span>
          )}
        </>
      )}
    </div>
  );
}
