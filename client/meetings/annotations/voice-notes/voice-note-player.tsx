import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

import { IconButton } from '../../../ui/icon-button.tsx';
import { useMeeting } from '../../open/meeting-context.ts';
import { clockTime } from '../../../ui/times.ts';
import { useTranslation } from '../../../use-translation.ts';
import styles from './voice-notes.module.css';

interface VoiceNotePlayerProps {
  src: string | Blob;
  /** Accessible name: whose voice note this is. */
  what: string;
  /** Length in milliseconds until the audio element knows it. */
  ms?: number;
}

interface Sound {
  playing: boolean;
  failed: boolean;
  /** Position in seconds. */
  at: number;
  /** Length in seconds; null until known. */
  length: number | null;
}

const icon = { size: 18, stroke: 1.5, 'aria-hidden': true } as const;
const silent: Sound = { playing: false, failed: false, at: 0, length: null };
/** Time in seconds beyond the end of any recording. */
const farAway = 1e9;

/** Plays a voice note; pauses the recording and any other voice note. */
export function VoiceNotePlayer({ src, what, ms }: VoiceNotePlayerProps) {
  const { t } = useTranslation('voice');
  const { player } = useMeeting();
  const home = useRef<HTMLDivElement>(null);
  const audio = useRef<HTMLAudioElement>(null);
  const [{ playing, failed, at, length }, setSound] = useState(silent);
  useEffect(() => {
    const element = document.createElement('audio');
    const set = (change: Partial<Sound>) => setSound((before) => ({ ...before, ...change }));
    const ending = new AbortController();
    const { signal } = ending;
    const on = (name: keyof HTMLMediaElementEventMap, work: () => void) =>
      element.addEventListener(name, work, { signal });
    // Recordings of MediaRecorder have no duration until the player seeks to their end.
    let seeking = false;
    on('loadedmetadata', () => {
      if (Number.isFinite(element.duration)) return;
      seeking = true;
      element.currentTime = farAway;
    });
    on('durationchange', () => {
      if (!Number.isFinite(element.duration)) return;
      set({ length: element.duration });
      if (seeking) element.currentTime = 0;
      seeking = false;
    });
    on('timeupdate', () => !seeking && set({ at: element.currentTime }));
    on('play', () => set({ playing: true }));
    on('pause', () => set({ playing: false }));
    on('ended', () => {
      element.currentTime = 0;
      set({ playing: false });
    });
    on('error', () => set({ failed: true, playing: false }));
    element.dataset['voice'] = '';
    element.preload = 'metadata';
    const own = typeof src === 'string' ? null : URL.createObjectURL(src);
    element.src = typeof src === 'string' ? src : (own ?? '');
    home.current?.prepend(element);
    audio.current = element;
    const stop = player.subscribe(() => player.now().playing && element.pause());
    return () => {
      ending.abort();
      stop();
      element.pause();
      element.removeAttribute('src');
      element.remove();
      if (own !== null) URL.revokeObjectURL(own);
    };
  }, [src, player]);
  const duration = length ?? (ms === undefined ? null : ms / 1000);
  const toggle = () => {
    const element = audio.current;
    if (!element) return;
    if (!element.paused) return element.pause();
    for (const other of document.querySelectorAll<HTMLAudioElement>('audio[data-voice]')) other.pause();
    player.pause();
    element.play().catch((error: unknown) => {
      if (error instanceof DOMException && ['NotAllowedError', 'AbortError'].includes(error.name)) return;
      setSound((before) => ({ ...before, failed: true }));
    });
  };
  return (
    <div ref={home} className={styles.player} role="group" aria-label={what} tabIndex={-1}>
      <IconButton
        label={t(playing ? 'pause' : 'play', { what })}
        icon={playing ? <IconPlayerPause {...icon} /> : <IconPlayerPlay {...icon} />}
        disabled={failed}
        onClick={toggle}
      />
      {failed ? (
        <span className={styles.note} role="status">
          {t('cannotPlay')}
        </span>
      ) : (
        <>
          <input
            type="range"
            className={styles.place}
            aria-label={t('place', { what })}
            aria-valuetext={clockTime(at * 1000)}
            min={0}
            max={duration ?? 1}
            step={0.1}
            value={Math.min(at, duration ?? 1)}
            disabled={duration === null}
            onChange={({ currentTarget }) => {
              if (audio.current) audio.current.currentTime = Number(currentTarget.value);
            }}
          />
          <span className={styles.time}>{clockTime((playing || at > 0 ? at : (duration ?? 0)) * 1000)}</span>
        </>
      )}
    </div>
  );
}
