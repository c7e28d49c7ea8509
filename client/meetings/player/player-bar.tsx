import {
  IconLoader2,
  IconPlayerPause,
  IconPlayerPlay,
  IconRewindBackward10,
  IconRewindBackward15,
  IconRewindBackward30,
  IconRewindBackward60,
  IconRewindForward10,
  IconRewindForward15,
  IconRewindForward30,
  IconRewindForward60,
} from '@tabler/icons-react';
import { useAtomValue } from 'jotai';
import { lazy, Suspense, useEffect, useEffectEvent, useRef, type KeyboardEvent } from 'react';

import { readAbout } from '#shared/meetings/about.ts';

import { loadWhenPossible } from '../../load.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useAction } from '../base/actions.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { GoToTime } from './go-to-time.tsx';
import { heardLine, heardLinesAtom } from './heard-lines.ts';
import { useShared } from '../base/use-shared.ts';
import styles from './player-bar.module.css';
import { rates, type Player } from '../sound/player.ts';
import { PlayerSettings } from './settings.tsx';
import { Silent } from './silent.tsx';
import { chapterAt, nearest, nextTick } from './ticks.ts';
import { clockTime } from '../../ui/times.ts';
import { useTranslation } from '../../use-translation.ts';
import type { JumpKind } from '../sound/stored-jumps.ts';
import { useHold } from '../sound/use-hold.ts';
import { useMediaSession } from './use-media-session.ts';
import { usePlayerState } from '../sound/use-player.ts';
import { useTicks } from './use-ticks.ts';

const Waveform = lazy(() => loadWhenPossible(() => import('./waveform.tsx')));
const PlaceHint = lazy(() => loadWhenPossible(() => import('./place-hint.tsx')));
const HeardStrip = lazy(() => loadWhenPossible(() => import('./heard-strip.tsx')));
const TickStrip = lazy(() => loadWhenPossible(() => import('./tick-strip.tsx')));
/** Height of the strip of ticks above the wave, in pixels. */
const strip = 10;
/** Distance to a tick, in milliseconds, within which the slider announces it. */
const atTick = 100;

/** Faces of the long jumps, by their seconds. */
const faces = {
  back: {
    10: IconRewindBackward10,
    15: IconRewindBackward15,
    30: IconRewindBackward30,
    60: IconRewindBackward60,
  },
  forward: {
    10: IconRewindForward10,
    15: IconRewindForward15,
    30: IconRewindForward30,
    60: IconRewindForward60,
  },
} as const;

/** Keys of the slider, whose own step would be a hundredth of a second. */
const jumpKeys: Partial<Record<string, [JumpKind, 1 | -1]>> = {
  ArrowLeft: ['short', -1],
  ArrowDown: ['short', -1],
  ArrowRight: ['short', 1],
  ArrowUp: ['short', 1],
  PageDown: ['long', -1],
  PageUp: ['long', 1],
};

/** Player at the foot of the page; without a medium, the reason why nothing can be played. */
export function PlayerBar() {
  const { player } = useMeeting();
  return player.medium ? <Bar /> : <Silent />;
}

function Bar() {
  const { t } = useTranslation('player');
  const { player, live, listening } = useMeeting();
  const { title } = useShared(live.doc.getMap('about'), () => readAbout(live.doc));
  const { playing, waiting, failed, duration, rate } = usePlayerState(player);
  const bar = useRef<HTMLElement>(null);
  useMediaSession(player, title);
  useAction('replay', () => listening.replay());

  useEffect(() => {
    const element = bar.current;
    if (!element) return;
    element.append(player.home);
    // Popups above the foot of the page need its height.
    const { style } = document.documentElement;
    const size = new ResizeObserver(() => style.setProperty('--foot', `${element.offsetHeight}px`));
    size.observe(element);
    return () => {
      size.disconnect();
      style.removeProperty('--foot');
      player.home.remove();
    };
  }, [player]);

  return (
    <section ref={bar} className={styles.bar} aria-label={t('label')} data-tour="player">
      {failed && (
        <p className={styles.failed} role="status">
          <span>{t(`failed.${failed}`)}</span>
          <Button look="quiet" onClick={() => player.retry()}>
            {t('failed.again')}
          </Button>
        </p>
      )}
      <div className={styles.row}>
        <LongJump player={player} direction={-1} />
        <ShortJump player={player} direction={-1} />
        <button
          type="button"
          className={styles.play}
          aria-label={playing ? t('pause') : t('play')}
          disabled={failed !== null}
          onClick={() => player.toggle()}
        >
          {waiting ? (
            <IconLoader2 className={styles.waiting} size={24} stroke={1.5} aria-hidden="true" />
          ) : playing ? (
            <IconPlayerPause size={24} stroke={1.5} aria-hidden="true" />
          ) : (
            <IconPlayerPlay size={24} stroke={1.5} aria-hidden="true" />
          )}
        </button>
        <ShortJump player={player} direction={1} />
        <LongJump player={player} direction={1} />
        <GoToTime player={player}>
          <Time player={player} duration={duration} />
        </GoToTime>
        <select
          className={styles.rate}
          aria-label={t('speed')}
          value={rate}
          onChange={(event) => player.chooseRate(Number(event.target.value))}
        >
          {[...new Set([...rates, rate])]
            .toSorted((a, b) => a - b)
            .map((one) => (
              <option key={one} value={one}>
                {`${one}×`}
              </option>
            ))}
        </select>
        <PlayerSettings />
        <Position player={player} duration={duration} />
      </div>
      <span className={styles.aloud} role="status">
        {waiting && t('waiting')}
      </span>
    </section>
  );
}

interface JumpProps {
  player: Player;
  direction: 1 | -1;
}

function LongJump({ player, direction }: JumpProps) {
  const { t } = useTranslation('player');
  const way = direction < 0 ? 'back' : 'forward';
  const count = usePlayerState(player).jumps.long / 1000;
  const Icon = faces[way][count as keyof (typeof faces)['back']];
  return (
    <span className={styles.large}>
      <IconButton
        label={t(way, { count })}
        icon={<Icon size={20} stroke={1.5} aria-hidden="true" />}
        onClick={() => player.jumpBy('long', direction)}
      />
    </span>
  );
}

function ShortJump({ player, direction }: JumpProps) {
  const { t } = useTranslation('player');
  const hold = useHold(() => player.jumpBy('short', direction));
  const count = usePlayerState(player).jumps.short / 1000;
  const label = t(direction < 0 ? 'back' : 'forward', { count });
  return (
    <button type="button" className={styles.small} aria-label={label} title={label} {...hold}>
      <span aria-hidden="true">{t(direction < 0 ? 'backShort' : 'forwardShort', { seconds: count })}</span>
    </button>
  );
}

/** Clock written straight into the DOM: up to sixty updates a second must not render React. */
function Time({ player, duration }: { player: Player; duration: number | null }) {
  const now = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let shown = '';
    const show = (ms: number) => {
      const text = clockTime(ms, duration ?? ms);
      if (text === shown) return;
      shown = text;
      if (now.current) now.current.textContent = text;
    };
    show(player.ms);
    return player.onTime(show);
  }, [player, duration]);
  return (
    <span className={styles.time} aria-hidden="true">
      <span ref={now} />
      <span className={styles.whole}> / {duration === null ? '–' : clockTime(duration)}</span>
    </span>
  );
}

/** One slider over the whole recording; the wave below it is decoration. */
function Position({ player, duration }: { player: Player; duration: number | null }) {
  const { t } = useTranslation('player');
  const slider = useRef<HTMLInputElement>(null);
  const { ticks, chapters, labelOf, pick } = useTicks();
  const heard = useAtomValue(heardLinesAtom);
  const tickLabel = useEffectEvent((ms: number) => {
    const tick = nearest(ticks, ms, atTick) ?? chapterAt(chapters, ms);
    return tick ? `, ${labelOf(tick)}` : '';
  });
  useEffect(() => {
    let shown = '';
    const say = (ms: number) => {
      const element = slider.current;
      if (!element) return;
      const text = `${t('placeOf', { time: clockTime(ms, duration ?? ms), whole: clockTime(duration ?? 0) })}${tickLabel(ms)}`;
      if (text === shown) return;
      shown = text;
      element.setAttribute('aria-valuetext', text);
    };
    const show = (ms: number) => {
      if (slider.current) slider.current.value = String(Math.round(ms));
      // While it plays, a screen reader at the slider would say each second.
      if (!player.now().playing) say(ms);
    };
    const sayNow = () => say(player.ms);
    show(player.ms);
    sayNow();
    const ends = [player.onTime(show), player.onJump(sayNow), player.subscribe(sayNow)];
    const element = slider.current;
    element?.addEventListener('focus', sayNow);
    return () => {
      for (const end of ends) end();
      element?.removeEventListener('focus', sayNow);
    };
  }, [player, duration, t]);
  const step = (event: KeyboardEvent) => {
    const jump = jumpKeys[event.key];
    if (!jump || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const tick = event.shiftKey ? nextTick(ticks, player.ms, jump[1]) : null;
    if (tick) player.seek(tick.at);
    else if (!event.shiftKey) player.jumpBy(...jump);
  };
  return (
    <div className={styles.position}>
      {duration !== null && (
        <Suspense>
          <Waveform
            duration={duration}
            above={ticks.length > 0 ? strip : 0}
            below={heard.length * heardLine}
            chapters={chapters}
          />
        </Suspense>
      )}
      {duration !== null && heard.length > 0 && (
        <Suspense>
          <HeardStrip lines={heard} duration={duration} />
        </Suspense>
      )}
      <input
        ref={slider}
        className={styles.slider}
        type="range"
        min={0}
        max={duration ?? 0}
        step={10}
        defaultValue={0}
        aria-label={t('position')}
        onChange={(event) => player.seek(Number(event.target.value))}
        onKeyDown={step}
        aria-keyshortcuts={ticks.length > 0 ? 'Shift+ArrowLeft Shift+ArrowRight' : undefined}
      />
      {duration !== null && (
        <Suspense>
          {ticks.length > 0 && <TickStrip ticks={ticks} duration={duration} onPick={pick} />}
          <PlaceHint ticks={ticks} chapters={chapters} duration={duration} labelOf={labelOf} />
        </Suspense>
      )}
    </div>
  );
}
