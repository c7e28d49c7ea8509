import {
  IconBadgeCc,
  IconLayoutSidebarRight,
  IconMovie,
  IconPictureInPicture,
  IconPictureInPictureOff,
} from '@tabler/icons-react';
import { useAtom } from 'jotai';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';

import { readAbout } from '#shared/meetings/about.ts';

import { usePreferences } from '../../preferences.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { useTranslation } from '../../use-translation.ts';
import { useAction } from '../base/actions.ts';
import type { Pane } from '../base/pane.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { subtitle } from '../text/subtitles.ts';
import { captionsAtom } from '../sound/stored-captions.ts';
import { usePlayerState } from '../sound/use-player.ts';
import styles from './video.module.css';

/** Picture of a video recording, in the place the person chose for it. */
export function VideoWindow({ in: place }: { in: 'text' | 'dock' }) {
  const { player } = useMeeting();
  const [{ videoPlayerMode = 'title' }] = usePreferences();
  const { element } = player;
  if (useVideoPlace() !== place || !(element instanceof HTMLVideoElement)) return null;
  return <Picture video={element} floats={videoPlayerMode === 'pip'} place={place} />;
}

/** Place of the picture; null for recordings without one. */
export function useVideoPlace(): 'text' | 'dock' | null {
  const { player } = useMeeting();
  const [{ videoPlayerMode }] = usePreferences();
  const { failed } = usePlayerState(player);
  if (!(player.element instanceof HTMLVideoElement) || failed) return null;
  return videoPlayerMode === 'pane' ? 'dock' : 'text';
}

/** Dock pane with the picture, if the person chose the dock. */
export function useVideoPane(): readonly Pane[] {
  const { t } = useTranslation('player');
  const { player } = useMeeting();
  const [{ videoPlayerMode }] = usePreferences();
  const inDock = player.element instanceof HTMLVideoElement && videoPlayerMode === 'pane';
  const label = t('video');
  return useMemo(
    () => (inDock ? [{ id: 'video', label, icon: IconMovie, button: 'rail', Content: VideoInDock }] : []),
    [inDock, label],
  );
}

const VideoInDock = () => <VideoWindow in="dock" />;

interface PictureProps {
  video: HTMLVideoElement;
  floats: boolean;
  place: 'text' | 'dock';
}

function Picture({ video, floats, place }: PictureProps) {
  const { t } = useTranslation('player');
  const { player, words } = useMeeting();
  const [, prefer] = usePreferences();
  const [captioned, setCaptioned] = useAtom(captionsAtom);
  const [away, setAway] = useState(() => document.pictureInPictureElement === video);
  const frame = useRef<HTMLDivElement>(null);

  // The video moves in one step and keeps playing; removing it from the page first would stop it.
  useLayoutEffect(() => {
    if (frame.current) player.put(frame.current);
    return () => player.put(player.home);
  }, [player]);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    video.addEventListener('enterpictureinpicture', () => setAway(true), { signal });
    video.addEventListener('leavepictureinpicture', () => setAway(false), { signal });
    video.addEventListener('click', () => player.toggle(), { signal });
    return () => ending.abort();
  }, [video, player]);
  useEffect(() => {
    if (!floats) {
      if (document.pictureInPictureElement === video) void document.exitPictureInPicture().catch(() => undefined);
      return;
    }
    // Browsers allow picture-in-picture only right after a press; without one the picture stays beside the text.
    const float = () => void video.requestPictureInPicture?.().catch(() => undefined);
    video.addEventListener('play', float);
    return () => video.removeEventListener('play', float);
  }, [video, floats]);
  const label = t('subtitles');
  useEffect(() => {
    if (captioned) return subtitle(video, words, label, readAbout(words.doc).lang);
  }, [captioned, video, words, label]);

  const float = () => {
    if (away) {
      prefer({ videoPlayerMode: 'title' });
      return void document.exitPictureInPicture().catch(() => undefined);
    }
    prefer({ videoPlayerMode: 'pip' });
    void video.requestPictureInPicture?.().catch(() => undefined);
  };
  const FloatIcon = away ? IconPictureInPictureOff : IconPictureInPicture;
  const canFloat = document.pictureInPictureEnabled === true;
  useAction('captions', () => setCaptioned(!captioned));
  useAction('float', canFloat ? float : null);
  return (
    <section
      className={styles.window}
      data-place={place}
      data-away={away || undefined}
      // The pane has the name already.
      aria-label={place === 'text' ? t('video') : undefined}
    >
      <div ref={frame} className={styles.frame} />
      <div className={styles.tools}>
        {away && <p className={styles.away}>{t('away')}</p>}
        <IconButton
          label={label}
          aria-pressed={captioned}
          icon={<IconBadgeCc size={20} stroke={1.5} aria-hidden="true" />}
          onClick={() => setCaptioned(!captioned)}
        />
        {canFloat && (
          <IconButton
            label={t(away ? 'returned' : 'floating')}
            icon={<FloatIcon size={20} stroke={1.5} aria-hidden="true" />}
            onClick={float}
          />
        )}
        {place === 'text' ? (
          <IconButton
            label={t('inPane')}
            icon={<IconLayoutSidebarRight size={20} stroke={1.5} aria-hidden="true" />}
            onClick={() => prefer({ videoPlayerMode: 'pane' })}
          />
        ) : (
          <IconButton
            label={t('atText')}
            icon={<IconMovie size={20} stroke={1.5} aria-hidden="true" />}
            onClick={() => prefer({ videoPlayerMode: 'title' })}
          />
        )}
      </div>
    </section>
  );
}
