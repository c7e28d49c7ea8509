import { useEffect, useRef } from 'react';

import styles from './recorder-signs.module.css';

// Signs of recorders, whatever they record: a recording in the browser or a voice note.

/** Full while something is recorded, empty otherwise; its meaning stands in words beside it. */
export function RecordingDot({ on }: { on: boolean }) {
  return <span className={styles.dot} data-on={on || undefined} aria-hidden="true" />;
}

interface LevelMeterProps {
  label: string;
  className: string | undefined;
  source: { level: () => number };
}

/** Drawn past React: it moves with each frame. */
export function LevelMeter({ label, className, source }: LevelMeterProps) {
  const meter = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      const level = source.level();
      meter.current?.style.setProperty('--level', String(level));
      meter.current?.setAttribute('aria-valuenow', String(Math.round(level * 100)));
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [source]);
  return (
    <div
      ref={meter}
      className={className ? `${styles.level} ${className}` : styles.level}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
    />
  );
}
