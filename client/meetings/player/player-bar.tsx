import {
  IconLoader2,
  IconPlayerPause,
  IconPlayerPlay,
  IconRewindBackward10,
  IconRewindForward10,
} from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useEffectEvent, useRef, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { readAbout } from '#shared/meetings/about.ts';

import { loadWhenPossible } from '../../load.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useAction } from '../base/actions.ts';
import { useMeeting } from '../open/meeting-context.ts';
import { GoToTime } from './go-to-time.tsx';
import { useShared } from '../base/use-shared.ts';
import styles from './player-bar.module.css';
import { largeSkip, rates, smallSkip, type Player } from '../sound/player.ts';
import { PlayerSettings } from './settings.tsx';
import { nearest, nextTick } from './ticks.ts';
import { clockTime } from '../../ui/times.ts';
import { useHold } from '../sound/use-hold.ts';
import { useMediaSession } from './use-media-session.ts';
import { usePlayerState } from '../sound/use-player.ts';
import { useTicks } from './use-ticks.ts';

const Waveform = lazy(() => loadWhenPossible(() => import('./waveform.tsx')));
const TickStrip = lazy(() => loadWhenPossible(() => import('./tick-strip.tsx')));
/** Height of the strip of ticks above the wave, in pixels. */
const strip = 10;
/** Distance to a tick, in milliseconds, within which the slider announces it. */
const atTick = 100;

/** Player at the foot of the page; absent without a medium. */
export function PlayerBar() {
  const { player } = useMeeting();
  return player.medium ? <Bar /> : null;
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
    <section ref={bar} className={styles.bar} aria-label={t('label')}>
      {failed && (
        <p className={styles.failed} role="status">
          <span>{t(`failed.${failed}`)}</span>
          <Button look="quiet" onClick={() => player.retry()}>
            {t('failed.again')}
          </Button>
        </p>
      )}
      <div className={styles.row}>
        <Skip player={player} by={-largeSkip} />
        <SmallSkip player={player} by={-smallSkip} />
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
        <SmallSkip player={player} by={smallSkip} />
        <Skip player={player} by={largeSkip} />
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

function Skip({ player, by }: { player: Player; by: number }) {
  const { t } = useTranslation('player');
  const Icon = by < 0 ? IconRewindBackward10 : IconRewindForward10;
  return (
    <span className={styles.large}>
      <IconButton
        label={t(by < 0 ? 'back' : 'forward', { seconds: Math.abs(by) / 1000 })}
        icon={<Icon size={20} stroke={1.5} aria-hidden="true" />}
        onClick={() => player.skip(by)}
      />
    </span>
  );
}

function SmallSkip({ player, by }: { player: Player; by: number }) {
  const { t } = useTranslation('player');
  const hold = useHold(() => player.skip(by));
  const seconds = Math.abs(by) / 1000;
  return (
    <button
      type="button"
      className={styles.small}
      aria-label={t(by < 0 ? 'back' : 'forward', { seconds })}
      title={t(by < 0 ? 'back' : 'forward', { seconds })}
      {...hold}
    >
      <span aria-hidden="true">{t(by < 0 ? 'backShort' : 'forwardShort', { seconds })}</span>
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
  const { ticks, labelOf, pick } = useTicks();
  const tickLabel = useEffectEvent((ms: number) => {
    const tick = nearest(ticks, ms, atTick);
    return tick ? `, ${labelOf(tick)}` : '';
  });
  useEffect(() => {
    let shown = '';
    const show = (ms: number) => {
      const element = slider.current;
      if (!element) return;
      element.value = String(Math.round(ms));
      const text = `${t('placeOf', { time: clockTime(ms, duration ?? ms), whole: clockTime(duration ?? 0) })}${tickLabel(ms)}`;
      if (text === shown) return;
      shown = text;
      element.setAttribute('aria-valuetext', text);
    };
    show(player.ms);
    return player.onTime(show);
  }, [player, duration, t]);
  // The native step of a slider would be a hundredth of a second or a whole minute.
  const step = (event: KeyboardEvent) => {
    const by: Record<string, number> = {
      ArrowLeft: -smallSkip,
      ArrowDown: -smallSkip,
      ArrowRight: smallSkip,
      ArrowUp: smallSkip,
      PageDown: -largeSkip,
      PageUp: largeSkip,
    };
    const way = by[event.key];
    if (way === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const tick = event.shiftKey ? nextTick(ticks, player.ms, way > 0 ? 1 : -1) : null;
    if (tick) player.seek(tick.at);
    else if (!event.shiftKey) player.skip(way);
  };
  return (
    <div className={styles.position}>
      {duration !== null && (
        <Suspense>
          <Waveform duration={duration} above={ticks.length > 0 ? strip : 0} />
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
      {duration !== null && ticks.length > 0 && (
        <Suspense>
          <TickStrip ticks={ticks} duration={duration} labelOf={labelOf} onPick={pick} />
        </Suspense>
      )}
    </div>
  );
}
