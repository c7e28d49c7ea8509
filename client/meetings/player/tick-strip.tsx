import { useEffect, useEffectEvent, useRef } from 'react';

import { useMeeting } from '../open/meeting-context.ts';
import styles from './waveform.module.css';
import { drawnTicks, nearest, nearTick, type Tick } from './ticks.ts';

const apart = 5;
const middle = 5;
const radius = 3;

interface TickStripProps {
  ticks: readonly Tick[];
  duration: number;
  onPick: (tick: Tick) => void;
}

/** Annotations and chapters as ticks above the waveform, for pointers only; the slider offers them to the keyboard. */
export default function TickStrip({ ticks, duration, onPick }: TickStripProps) {
  const { player } = useMeeting();
  const strip = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const box = strip.current;
    if (!box || !canvas.current) return;
    const picture = canvas.current;
    const draw = () => {
      const { clientWidth: width, clientHeight: height } = box;
      const pen = width === 0 ? null : picture.getContext('2d');
      if (!pen) return;
      picture.width = width * devicePixelRatio;
      picture.height = height * devicePixelRatio;
      pen.scale(devicePixelRatio, devicePixelRatio);
      const colours = getComputedStyle(box);
      const ink = colours.getPropertyValue('--ink').trim();
      const voices = [1, 2, 3, 4, 5].map((voice) => colours.getPropertyValue(`--voice-${voice}`).trim());
      const drawn = drawnTicks(ticks, duration, width, apart);
      // Comments come last: their rings stay visible around other ticks.
      for (const { x, look } of drawn.toSorted((one, other) => other.look - one.look)) {
        const at = Math.min(Math.max(x, radius + 1), width - radius - 1);
        pen.fillStyle = voices[look - 1] ?? ink;
        pen.strokeStyle = ink;
        pen.beginPath();
        shapes[look]?.(pen, at);
        if (look === 0) pen.stroke();
        else pen.fill();
      }
    };
    // One redraw a frame: many changes can come at once.
    let frame = requestAnimationFrame(draw);
    const again = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(draw);
    };
    const size = new ResizeObserver(again);
    size.observe(box);
    const scheme = new MutationObserver(again);
    scheme.observe(document.documentElement, { attributeFilter: ['data-mantine-color-scheme'] });
    return () => {
      cancelAnimationFrame(frame);
      size.disconnect();
      scheme.disconnect();
    };
  }, [ticks, duration]);

  const at = (event: MouseEvent): { ms: number; tick: Tick | null } => {
    const { left, width } = strip.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    const ms = (duration * Math.min(Math.max(0, event.clientX - left), width)) / width;
    return { ms, tick: nearest(ticks, ms, (duration * nearTick) / width) };
  };
  const pressed = useEffectEvent((event: MouseEvent) => {
    const { ms, tick } = at(event);
    if (tick) onPick(tick);
    else player.seek(ms);
  });
  useEffect(() => {
    const box = strip.current;
    const press = (event: MouseEvent) => pressed(event);
    box?.addEventListener('click', press);
    return () => box?.removeEventListener('click', press);
  }, []);
  return (
    <div ref={strip} className={styles.ticks} data-ticks={ticks.length} aria-hidden="true">
      <canvas ref={canvas} className={styles.wave} />
    </div>
  );
}

/** Colour is never the only sign. */
const shapes: readonly ((pen: CanvasRenderingContext2D, x: number) => void)[] = [
  (pen, x) => pen.arc(x, middle, radius + 1, 0, 2 * Math.PI),
  (pen, x) => pen.arc(x, middle, radius, 0, 2 * Math.PI),
  (pen, x) => pen.rect(x - radius + 0.5, middle - radius + 0.5, 2 * radius - 1, 2 * radius - 1),
  (pen, x) => polygon(pen, x, [0, -radius], [radius, radius - 1], [-radius, radius - 1]),
  (pen, x) => polygon(pen, x, [0, -radius - 0.5], [radius + 0.5, 0], [0, radius + 0.5], [-radius - 0.5, 0]),
  (pen, x) => polygon(pen, x, [0, radius], [radius, -radius + 1], [-radius, -radius + 1]),
  // Flag of a chapter, at the line that the waveform draws below it.
  (pen, x) =>
    polygon(
      pen,
      x,
      [-1, -middle],
      [2 * radius, -middle + radius],
      [0, -middle + 2 * radius],
      [0, middle],
      [-1, middle],
    ),
];

function polygon(pen: CanvasRenderingContext2D, x: number, ...corners: readonly (readonly [number, number])[]): void {
  for (const [i, [right, down]] of corners.entries()) {
    if (i === 0) pen.moveTo(x + right, middle + down);
    else pen.lineTo(x + right, middle + down);
  }
  pen.closePath();
}
