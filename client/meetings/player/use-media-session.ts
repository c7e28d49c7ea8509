import { useEffect } from 'react';

import type { Player } from '../sound/player.ts';
import type { JumpKind } from '../sound/stored-jumps.ts';
import { usePlayerState } from '../sound/use-player.ts';

const jumps: Partial<Record<MediaSessionAction, [JumpKind, 1 | -1]>> = {
  seekbackward: ['long', -1],
  seekforward: ['long', 1],
  previoustrack: ['short', -1],
  nexttrack: ['short', 1],
};

/** Keys of keyboards and headsets, and the system's own display of what is heard. */
export function useMediaSession(player: Player, title: string): void {
  const { playing, duration, rate } = usePlayerState(player);
  const there = player.medium !== null && 'mediaSession' in navigator;
  useEffect(() => {
    if (!there) return;
    const { mediaSession } = navigator;
    const set = (name: MediaSessionAction, work: MediaSessionActionHandler | null) => {
      try {
        mediaSession.setActionHandler(name, work);
      } catch {
        // A key this browser has never heard of.
      }
    };
    set('play', () => player.play());
    set('pause', () => player.pause());
    set('seekto', ({ seekTime }) => seekTime !== undefined && player.seek(seekTime * 1000));
    for (const [name, jump] of Object.entries(jumps)) set(name as MediaSessionAction, () => player.jumpBy(...jump));
    return () => {
      for (const name of ['play', 'pause', 'seekto', ...Object.keys(jumps)]) set(name as MediaSessionAction, null);
      mediaSession.metadata = null;
    };
  }, [there, player]);
  useEffect(() => {
    if (there) navigator.mediaSession.metadata = new MediaMetadata({ title });
  }, [there, title]);
  useEffect(() => {
    if (!there || duration === null) return;
    const tell = () =>
      navigator.mediaSession.setPositionState({
        duration: duration / 1000,
        playbackRate: rate,
        position: Math.min(player.ms, duration) / 1000,
      });
    navigator.mediaSession.playbackState = playing ? 'playing' : 'paused';
    tell();
    return player.onJump(tell);
  }, [there, player, playing, duration, rate]);
}
