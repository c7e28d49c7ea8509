import { useEffect, useEffectEvent, useRef } from 'react';

import { clockTime } from '../../ui/times.ts';
import styles from './place-hint.module.css';
import { chapterAt, nearest, nearTick, type Tick } from './ticks.ts';

const margin = 8;

interface PlaceHintProps {
  ticks: readonly Tick[];
  chapters: readonly Tick[];
  duration: number;
  labelOf: (tick: Tick) => string;
}

/**
 * Time and chapter below the pointer, or the annotation whose tick it is at. For pointers only: the slider announces
 * both. Written straight into the DOM, so that moving the pointer renders nothing.
 */
export default function PlaceHint({ ticks, chapters, duration, labelOf }: PlaceHintProps) {
  const bubble = useRef<HTMLSpanElement>(null);
  const textAt = useEffectEvent((ms: number, width: number, atTicks: boolean): string => {
    const tick = atTicks ? nearest(ticks, ms, (duration * nearTick) / width) : null;
    const shown = tick ?? chapterAt(chapters, ms);
    const time = clockTime(tick?.at ?? ms, duration);
    return shown ? `${time} · ${labelOf(shown)}` : time;
  });
  useEffect(() => {
    const element = bubble.current;
    const line = element?.parentElement;
    if (!element || !line) return;
    const ending = new AbortController();
    const listening = { signal: ending.signal };
    const hide = () => (element.hidden = true);
    const move = ({ clientX, target }: PointerEvent) => {
      const { left, width } = line.getBoundingClientRect();
      const x = Math.min(Math.max(0, clientX - left), width);
      const atTicks = target instanceof Element && target.closest('[data-ticks]') !== null;
      element.textContent = textAt((duration * x) / width, width, atTicks);
      element.hidden = false;
      const half = element.offsetWidth / 2;
      const [least, most] = [margin + half - left, window.innerWidth - margin - half - left];
      element.style.setProperty('--x', `${Math.round(Math.min(Math.max(least, x), most) - half)}px`);
    };
    line.addEventListener('pointermove', move, listening);
    line.addEventListener('pointerleave', hide, listening);
    line.addEventListener('pointercancel', hide, listening);
    window.addEventListener('keydown', ({ key }) => key === 'Escape' && hide(), listening);
    return () => ending.abort();
  }, [duration]);
  return <span ref={bubble} className={styles.bubble} aria-hidden="true" hidden />;
}
