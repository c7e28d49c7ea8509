import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { useEffect, useEffectEvent, useState } from 'react';

import { clockTime } from '../../ui/times.ts';
import { useTranslation } from '../../use-translation.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { useOpenText } from '../open/open-text.ts';
import { usePlayerState } from '../sound/use-player.ts';
import styles from './tap-play.module.css';

/** Size of the button, its distance from the word, and from the edges of the window, in pixels. */
const size = 44;
const gap = 4;

interface Shown {
  /** Start of the word in the recording, in milliseconds. */
  ms: number;
  x: number;
  y: number;
}

/** Small play button beside a tapped word: the tap puts the caret, the button plays from there. */
export function TapPlay() {
  const { t } = useTranslation('player');
  const { player, words } = useMeeting();
  const { playing } = usePlayerState(player);
  const open = useOpenText();
  const [shown, setShown] = useState<Shown | null>(null);
  const tapped = useEffectEvent((event: MouseEvent) => {
    const viewOf = open?.view;
    const at = viewOf?.posAtCoords({ left: event.clientX, top: event.clientY });
    const place = player.medium && at && viewOf?.state.selection.empty ? words.placeAt(at.pos) : null;
    const span = place && words.stretch(place.segment, place.word, place.word);
    const box = span && words.range(span)?.getBoundingClientRect();
    const ms = at && words.timeAt(at.pos);
    if (!box || ms === null || ms === undefined) return setShown(null);
    const above = box.top - size - gap;
    const top = window.visualViewport?.offsetTop ?? 0;
    setShown({
      ms,
      x: Math.round(Math.min(Math.max(gap, box.right - size / 2), window.innerWidth - size - gap)),
      y: Math.round(above > top + gap ? above : box.bottom + gap),
    });
  });
  useEffect(() => {
    const text = open?.view.dom;
    if (!text) return;
    const ending = new AbortController();
    const { signal } = ending;
    const hide = () => setShown(null);
    text.addEventListener(
      'click',
      (event) => {
        // The editor takes the selection of the tap a moment later.
        if (event instanceof PointerEvent && event.pointerType === 'touch') setTimeout(() => tapped(event));
        else hide();
      },
      { signal },
    );
    text.addEventListener('keydown', hide, { signal });
    text.addEventListener('beforeinput', hide, { signal });
    text.addEventListener('blur', hide, { signal });
    window.addEventListener('scroll', hide, { capture: true, passive: true, signal });
    return () => ending.abort();
  }, [open]);
  if (!shown || playing) return null;
  const { ms, x, y } = shown;
  return (
    <button
      type="button"
      className={styles.play}
      style={{ transform: `translate(${x}px, ${y}px)` }}
      aria-label={t('playFrom', { time: clockTime(ms) })}
      // The caret and the keyboard stay.
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => {
        setShown(null);
        player.play(ms, 'quiet');
      }}
    >
      <IconPlayerPlayFilled size={18} aria-hidden="true" />
    </button>
  );
}
